import { describe, expect, it } from 'vitest';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { certifyConsolidation } from '#lib/disruption/consolidation/certify.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster, aFreePool, aMember, MEDIUM, mover } from '#test/build/members.ts';

const SMALL = anInstanceType('m5.large', { cpu: 2 });
const LARGE = anInstanceType('m5.4xlarge', { cpu: 16, pods: 234 });

const certified = (
  names: readonly string[],
  snapshot: Snapshot,
  difference: Partial<SimulationFacts> = {},
) => {
  const members = snapshot.nodes.filter(({ name }) => names.includes(name));
  return certifyConsolidation(members, {
    snapshot,
    nominated: new Set(),
    inFlight: inFlightOf(snapshot),
    toPlace: { pods: [], promised: new Map(), expected: new Map() },
    ...difference,
  });
};
const holding = (name: string, ...cpus: readonly number[]): StateNode =>
  aMember(name, { pods: cpus.map((cpu, at) => mover(`${name}-${at}`, cpu)) });

describe('certifyConsolidation', () => {
  it('says where each pod goes and what is saved for certain', () => {
    const command = certified(['a'], aCluster([holding('a', 100), holding('b', 100)]));

    expect(command).toMatchObject({
      reason: 'Underutilized',
      replacements: [],
      placements: [{ host: 'b' }],
      podsMoved: 1,
      savesUsdPerHour: 0.2,
      certificate: { removedUsdPerHour: 0.2, worstUsdPerHour: 0 },
    });
  });

  it('drops the whole command when one of its nodes may not go any more', () => {
    const guard = { 'karpenter.sh/do-not-disrupt': 'true' };
    const guarded = aMember('b', { pods: [mover('on-b', 100, { meta: { annotations: guard } })] });
    const nodes = [holding('a', 100), guarded, holding('c', 100)];

    expect(certified(['a', 'b'], aCluster(nodes))).toMatchObject({ by: 'do-not-disrupt' });
  });

  it('keeps a node that a pending pod was promised meanwhile', () => {
    const cluster = aCluster([holding('a', 100), holding('b', 100)]);

    expect(certified(['a'], cluster, { nominated: new Set(['a']) })).toMatchObject({
      by: 'nominated',
    });
  });

  it('counts room that others were promised as taken', () => {
    const cluster = aCluster([holding('a', 1000), holding('b', 100)]);
    const promised = new Map([['b', [mover('coming', 3500)]]]);
    const toPlace = { pods: [], promised, expected: new Map() };

    expect(certified(['a'], cluster)).toMatchObject({ placements: [{ host: 'b' }] });
    expect(certified(['a'], cluster, { toPlace })).toHaveProperty('because');
  });

  it('replaces one dear node by several cheap ones', () => {
    const types = [
      SMALL,
      { ...LARGE, offerings: LARGE.offerings.map((each) => ({ ...each, usdPerHour: 0.9 })) },
    ];
    const dear = types[1] ?? LARGE;
    const node = aMember('a', { type: dear, pods: [mover('x', 1900), mover('y', 1900)] });
    const command = certified(['a'], aCluster([node], { types }));

    expect(command).toMatchObject({
      replacements: [{ instanceTypes: ['m5.large'] }, { instanceTypes: ['m5.large'] }],
    });
  });

  it('makes no replacement for which limits leave no room beside the node', () => {
    const nodePools = [aFreePool({ limits: { nodes: 1 } })];
    const cluster = aCluster([aMember('a', { type: LARGE, pods: [mover('x', 500)] })], {
      types: [LARGE, SMALL],
      nodePools,
    });

    expect(certified(['a'], cluster)).toMatchObject({ by: 'limits' });
  });

  it('moves no pod for a saving that is not worth it', () => {
    const cheaper = anInstanceType('m6.xlarge', { cpu: 4, usdPerHour: 0.199, pods: 58 });
    const node = holding('a', 600, 600, 600, 600, 600);
    const cluster = aCluster([node], { types: [MEDIUM, cheaper] });

    expect(certified(['a'], cluster)).toHaveProperty('because');
    expect(certified(['a'], aCluster([node], { types: [MEDIUM, SMALL] }))).toHaveProperty(
      'because',
    );
  });

  it('never goes back within a day to what pods left', () => {
    const moved = (minutes: number, from: readonly string[]) => {
      const at = new Date(Date.UTC(2026, 10, 20, 12, -minutes)).toISOString().replace('.000Z', 'Z');
      const annotations = { 'joinery.dev/consolidated': JSON.stringify({ v: 2, at, from }) };
      const node = aMember('a', {
        type: LARGE,
        pods: [mover('x', 500)],
        claim: { meta: { annotations } },
      });
      return certified(['a'], aCluster([node], { types: [LARGE, SMALL] }));
    };

    expect(moved(90, ['m5.large'])).toMatchObject({ by: 'price' });
    expect(moved(90, ['c5.large'])).toMatchObject({ podsMoved: 1 });
    expect(moved(25 * 60, ['m5.large'])).toMatchObject({ podsMoved: 1 });
  });
});
