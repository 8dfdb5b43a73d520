import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parametersMarkdown } from '#infra/parameters/markdown.ts';
import { samTemplate } from '#infra/template.ts';

const FILE = new URL('../../infra/template.yaml', import.meta.url);

interface Resource {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

const made = samTemplate();
const template: {
  readonly Parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly Resources: Readonly<Record<string, Resource>>;
} = parse(made, { version: '1.1' });
const resources = Object.entries(template.Resources);
const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);

describe('the SAM template', () => {
  it('is the one that is committed', async () => {
    expect(await readFile(FILE, 'utf8')).toBe(made);
  });

  it('has its parameters explained by the table that is committed', async () => {
    const table = new URL('../../infra/PARAMETERS.md', import.meta.url);

    expect(await readFile(table, 'utf8')).toBe(parametersMarkdown());
  });

  it('needs nothing but the bundles', () => {
    const functions = ofType('AWS::Serverless::Function');

    expect(functions.map(([, { Properties }]) => Properties.CodeUri)).toEqual(
      ['provision', 'consolidate', 'drift', 'interrupt', 'admit'].map(
        (name) => `../dist/functions/${name}`,
      ),
    );
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
    }
  });

  it('explains every parameter, and asks for one', () => {
    const parameters = Object.entries(template.Parameters);

    expect(parameters.filter(([, { Description }]) => Description === undefined)).toEqual([]);
    expect(
      parameters.filter(([, each]) => each.Default === undefined).map(([name]) => name),
    ).toEqual(['ClusterName']);
  });

  it('keeps the log of every function for a time, and lets it write no other', () => {
    expect(ofType('AWS::Logs::LogGroup').map(([, { Properties }]) => Properties)).toEqual(
      Array.from({ length: 5 }, () => ({ RetentionInDays: { Ref: 'LogRetentionDays' } })),
    );
  });

  it('puts aside what always fails, from both queues', () => {
    const redriven = ofType('AWS::SQS::Queue').filter(([, each]) => each.Properties.RedrivePolicy);

    expect(redriven.map(([name]) => name)).toEqual([
      'QueuesHintsQueue',
      'QueuesInterruptionsQueue',
    ]);
  });

  it('repeats no scheduled run that failed', () => {
    for (const [, { Properties }] of ofType('AWS::Scheduler::Schedule')) {
      expect(Properties).toMatchObject({
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { RetryPolicy: { MaximumRetryAttempts: 0 } },
      });
    }
  });

  it('makes one door at most', () => {
    const conditions = ['AWS::ApiGatewayV2::Api', 'AWS::Lambda::Url'].map(
      (type) => ofType(type)[0]?.[1].Condition,
    );

    expect(conditions).toEqual(['DoorIsHttpApi', 'DoorIsFunctionUrl']);
  });

  it('gives no action with a wildcard, and no resource * to what makes or ends something but to Lambda', () => {
    const documents = resources.flatMap(([, { Properties = {} }]) => [
      Properties.PolicyDocument,
      ...[Properties.Policies ?? []].flat().map((each) => Object(each).PolicyDocument),
    ]);
    const statements = documents.flatMap((each) => Object(each).Statement ?? []);
    const allowed = statements.filter(({ Effect }: { Effect: string }) => Effect === 'Allow');

    const toCode = allowed.filter(({ Sid }: { Sid: string }) => Sid !== 'JoinTheVpc');

    expect(toCode.length).toBeGreaterThan(20);
    expect(allowed.length - toCode.length).toBe(1);
    for (const { Action, Resource } of toCode) {
      const actions: readonly string[] = [Action].flat();
      expect(actions.filter((action) => action.includes('*'))).toEqual([]);
      if (Resource === '*' || [Resource].flat().includes('*')) {
        expect(actions.filter((action) => !/:(Describe|List|Get)/.test(action))).toEqual([]);
      }
    }
  });
});
