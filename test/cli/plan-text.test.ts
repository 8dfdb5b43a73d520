import { describe, expect, it } from 'vitest';
import { planText } from '#lib/cli/plan-text.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Plan, Refusal } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod, somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const catalog = aCatalog([
  anInstanceType('m5.large', { cpu: 2, capacityTypes: ['on-demand'], usdPerHour: 0.1 }),
  anInstanceType('m5.xlarge', { cpu: 4, capacityTypes: ['on-demand'], usdPerHour: 0.21 }),
]);
const planOf = (difference: Partial<Snapshot>): Plan =>
  decideProvision(aSnapshot({ catalog, ...difference }));
const textOf = (plan: Plan): readonly string[] => planText(plan, catalog);
const refusal = (pod: string, because: string): Refusal => ({
  pod,
  by: 'resources',
  because,
  nodePools: [],
});

describe('planText', () => {
  it('says of what is replaced whatever it costs that it costs more', () => {
    const command = (remove: string, savesUsdPerHour: number) => ({
      reason: 'Drifted' as const,
      remove: [remove],
      replaceWith: [`new-${remove}`],
      podsMoved: 1,
      savesUsdPerHour,
    });
    const commands = [command('a', -0.25), command('b', 0.125)];

    expect(textOf({ ...planOf({}), commands })).toEqual(
      expect.arrayContaining([
        '  a: Drifted, replaced by new-a, moves 1 pod, costs $0.2500/h more',
        '  b: Drifted, replaced by new-b, moves 1 pod, saves $0.1250/h',
        'All this costs $0.1250/h more (2 nodes go, 2 are made, 2 pods moved)',
      ]),
    );
  });

  it('is a table of nodes to be, the total with its bound, and what would be done next', () => {
    const pod = aPod({ requests: { cpu: 1500, memory: GIB } });
    const plan = { ...planOf({ pods: [pod] }), lookAgainAt: '2026-11-20T12:00:01Z' };
    const [claim] = plan.nodeClaims;

    expect(textOf({ ...plan, actions: plan.actions.slice(0, 1) })).toEqual([
      'Plan: provision at 2026-11-20T12:00:00Z',
      '',
      'New nodes: 1',
      `  NODES          POOL     PODS  SIZE          CHEAPEST                       TYPES  $/H     ROOM LEFT`,
      `  ${claim?.name}  default  1     2 cpu, 8 GiB  m5.large on-demand us-east-1a  2      0.1000  0.5 cpu, 7 GiB`,
      '',
      'Total: $0.1000/h, at most 0 % above the cheapest possible (prices of 2026-11-01)',
      '',
      'Next:',
      '  create NodeClaims: 1',
      '  look again at 2026-11-20T12:00:01Z',
    ]);
  });

  it('tells of nodes that are bought alike in one line', () => {
    const lines = textOf(planOf({ pods: somePods(500, { requests: { cpu: 2000, memory: GIB } }) }));

    expect(lines.slice(2, 6)).toEqual([
      'New nodes: 500',
      '  NODES  POOL     PODS  SIZE          CHEAPEST                       TYPES  $/H     ROOM LEFT',
      '  500    default  1     2 cpu, 8 GiB  m5.large on-demand us-east-1a  2      0.1000  0 cpu, 7 GiB',
      '  Where a line is for several: pods, price and room of each, the room on average.',
    ]);
  });

  it('tells of pods that are refused for the same reason together, each NodePool with its own', () => {
    const nodePools = [
      aNodePool(),
      aNodePool({
        meta: { name: 'small' },
        template: { requirements: [spec('node.kubernetes.io/instance-type In m5.large')] },
      }),
    ];
    const lines = textOf(planOf({ nodePools, pods: somePods(5, { requests: { cpu: 9000 } }) }));
    const at = lines.indexOf('Refused (5 pods):');

    expect(lines.slice(at + 1, at + 4)).toEqual([
      '  5 pods (default/web-1, default/web-2, default/web-3, …): no node has room for it and none can be made',
      '    NodePool small: it needs 9 cpu on one node; the largest type that the pool allows, m5.large, has 2 cpu to give',
      '    NodePool default: it needs 9 cpu on one node; the largest type that the pool allows, m5.xlarge, has 4 cpu to give',
    ]);
  });

  it('stays short whatever there is to tell, the most frequent reasons first', () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `default/p-${at}`);
    const lines = textOf({
      ...planOf({}),
      refused: [
        ...names.map((pod) => refusal(pod, `because of ${pod}`)),
        refusal('z/1', 'same'),
        refusal('z/2', 'same'),
      ],
      placements: names.map((pod, at) => ({ pod, node: `node-${at % 400}` })),
      kept: names.map((node) => ({ node, by: 'pods', because: 'it holds 1 pod' })),
      warnings: names,
    });

    expect(lines.length).toBeLessThan(200);
    expect(lines).toContain('  2 pods (z/1, z/2): same');
    expect(lines).toContain('  and 9951 pods for 9951 other reasons');
    expect(lines).toContain('  and 350 more nodes: 8750 pods');
    expect(lines).toContain('  10000 (default/p-0, default/p-1, default/p-2, …): it holds 1 pod');
    expect(lines).toContain('  and 9950 more warnings');
  });

  it('says where room is kept for CapacityBuffers', () => {
    const counts = { replicas: 7, onNodes: 3, onNewNodes: 2, refused: 2 };
    const lines = textOf({
      ...planOf({}),
      buffers: [{ buffer: 'default/room', ...counts, because: 'limits' }],
    });

    expect(lines).toContain(
      '  default/room: 7 pods: 3 on nodes that are there, 2 on new nodes, 2 nowhere (limits)',
    );
  });
});
