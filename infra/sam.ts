import { stringify } from 'yaml';

const HEAD = `# Joinery beside an EKS cluster, for sam deploy. Made by npm run template from the definition that
# the CDK construct uses too: change that, not this file.
`;

/** cfn-lint takes the empty default of the VPC's lists for what would be deployed. */
const LINTING = { 'cfn-lint': { config: { ignore_checks: ['W1033'] } } };

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** A template as CDK synthesizes it. */
export interface Template {
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly Rules?: unknown;
  readonly Resources: Readonly<Record<string, Resource>>;
}

/** A template in SAM's words, as YAML: functions whose code is there, and needs no building. */
export const samText = (template: Template): string =>
  HEAD +
  stringify(inSam(template), {
    lineWidth: 100,
    aliasDuplicateObjects: false,
    // CloudFormation reads YAML 1.1, where a bare OFF is a boolean.
    version: '1.1',
  });

function inSam(template: Template): Readonly<Record<string, unknown>> {
  // What CDK's own bootstrapping asks for is of no use to sam deploy.
  const { Resources, Parameters, Rules: _, ...rest } = template;
  const { BootstrapVersion: __, ...parameters } = Parameters;
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Transform: 'AWS::Serverless-2016-10-31',
    ...rest,
    Metadata: LINTING,
    Parameters: parameters,
    Resources: Object.fromEntries(
      Object.entries(Resources).map(([id, resource]) => [id, samResource(resource)]),
    ),
  };
}

function samResource(resource: Resource): unknown {
  if (resource.Type !== 'AWS::Lambda::Function') return resource;
  const { Code, ...properties } = resource.Properties;
  const { ZipFile } = Object(Code);
  return {
    ...resource,
    Type: 'AWS::Serverless::Function',
    Metadata: { SkipBuild: true },
    Properties: { CodeUri: ZipFile, ...properties },
  };
}
