/**
 * What deciding on a storm of spot warnings takes, as Markdown: 250 of 500 nodes warned of in one
 * batch, and 250 of 5,000. The first line is the first decision of a process, as after a cold start.
 * Prints figures; judges nothing, and is no test.
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { decideInterrupt } from '#lib/decide/interrupt.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import type { StateNode } from '#lib/model/node.ts';
import { NOON } from '#test/build/objects.ts';
import { agedCluster } from './aged-cluster.ts';

const WARNED = 250;

const file = readFileSync('test/scenarios/provision/catalogs/us-east-1.json.gz');
const { instanceTypes, ...offered } = decodeCatalog(JSON.parse(gunzipSync(file).toString('utf8')));
const catalog = { ...offered, byNodeClass: new Map([['default', instanceTypes]]) };

/** The same node, bought on the spot market. */
function onSpot({ node, claim, ...state }: StateNode): StateNode {
  const boughtSo = <Held extends NonNullable<StateNode['node' | 'claim']>>(held: Held): Held => ({
    ...held,
    meta: { ...held.meta, labels: { ...held.meta.labels, 'karpenter.sh/capacity-type': 'spot' } },
  });
  return {
    ...state,
    ...(node && { node: boughtSo(node) }),
    ...(claim && { claim: boughtSo(claim) }),
  };
}

/** Warnings of every second node, as far as they go. */
const warnings = Array.from({ length: WARNED }, (_, at): Interruption => {
  return { kind: 'SpotInterruption', instanceId: `i-${at * 2}`, announcedAt: NOON };
});

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n`);
print('| nodes | pods | warned | processor | NodeClaims made | pods on other nodes | |');
print('| --: | --: | --: | --: | --: | --: | --- |');
for (const [nodes, pods, note] of [
  [500, 10_000, 'first in its process'],
  [500, 10_000, ''],
  [5_000, 100_000, ''],
] as const) {
  const aged = agedCluster(nodes, pods, catalog);
  const snapshot = { ...aged, nodes: aged.nodes.map(onSpot) };
  const before = process.cpuUsage();
  const { nodeClaims, placements, commands } = decideInterrupt(snapshot, warnings);
  const { user, system } = process.cpuUsage(before);
  const warned = commands[0]?.remove.length ?? 0;
  const seconds = `${((user + system) / 1e6).toFixed(1)} s`;
  const cells = [nodes, pods, warned, seconds, nodeClaims.length, placements.length, note];
  print(`| ${cells.join(' | ')} |`);
}
