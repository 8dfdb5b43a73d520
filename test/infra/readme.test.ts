import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ALL_PARAMETERS } from '#infra/parameters/table.ts';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { crdTexts } from '#lib/cli/crds.ts';
import { connectEmbedded } from '#lib/cli/embedded.ts';
import { machineTypes } from '#lib/cli/stories/machine-types.ts';
import { createWorld } from '#lib/sim/world.ts';
import { NOON } from '#test/build/objects.ts';
import { aDeployment } from '#test/build/small-cluster.ts';

const readme = readFileSync('README.md', 'utf8');
const install = readme.slice(
  readme.indexOf('## From clone to first node'),
  readme.indexOf('## What it does'),
);

/** What the fifth step hands to kubectl, for a cluster of this name. */
function manifestsFor(cluster: string): readonly unknown[] {
  const [, text = ''] = /<<'YAML'.*\n([\s\S]*?)\n *YAML\n/.exec(install) ?? [];
  const yaml = text.replaceAll(/^ {7}/gm, '').replaceAll('CLUSTER', cluster);
  return parseAllDocuments(yaml).map((document) => document.toJS());
}

describe('the way from clone to first node', () => {
  it('gives a cluster nodes by the manifests that it shows', async () => {
    const table = embeddedTable('us-east-1');
    const world = createWorld({
      ...{ seed: 1, start: NOON, region: 'us-east-1', clusterName: 'shop' },
      types: table ? machineTypes(table) : [],
      crds: crdTexts(),
      connect: connectEmbedded,
    });
    world.apply([...manifestsFor('shop'), aDeployment('inflate', 5, { cpu: '1' })]);
    const isReady = () =>
      world.kubernetes.all('Pod').filter(({ status }) => status?.phase === 'Running').length === 5;

    expect(await world.runUntil(isReady, 180_000)).toBe(true);
  });

  it('names parameters that there are', () => {
    const names = new Set(ALL_PARAMETERS.map(({ name }) => name));
    const named = [...install.matchAll(/(?<![\w.:/-])([A-Z][a-z]+[A-Z]\w*)=/g)].map(
      ([, name]) => name,
    );

    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !names.has(name ?? ''))).toEqual([]);
  });

  it('names outputs that there are', () => {
    const { Outputs } = parse(readFileSync('infra/template.yaml', 'utf8'), { version: '1.1' });

    for (const output of ['NextStep', 'WebhookUrl', 'DashboardUrl', 'Log']) {
      expect(install).toMatch(new RegExp(`\\b${output}\\b`));
      expect(Object.keys(Outputs)).toContain(output);
    }
  });
});
