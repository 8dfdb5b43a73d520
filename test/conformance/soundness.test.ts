import { describe, expect, it } from 'vitest';
import { type Placing, place } from '#lib/decide/place.ts';
import type { NewNodeClaim } from '#lib/model/node-claim.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec, taint } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType, M5_TYPES } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aDaemonSet, aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';
import { aTerm } from '#test/build/volumes.ts';
import { unsoundness } from './soundness.ts';

const ZONE = 'topology.kubernetes.io/zone';
const web = aPod({ meta: { name: 'web' } });
const ofTwo = (name: string) => aPod({ meta: { name }, requests: { cpu: 1500 } });
const plain = aSnapshot({ pods: [web] });
const spare = aSnapshot({ pods: [web], nodes: [anUnmanagedNode(aNode())] });
const [planned] = place(plain).claims;
if (!planned) throw new Error('expected a plan with a NodeClaim');

/** The sound plan of `plain`, its one NodeClaim changed in the plan and as it is created. */
const changed = (
  claim: Partial<PlannedNodeClaim>,
  created: Partial<NewNodeClaim> = {},
): Placing => {
  const sound = place(plain);
  const requirements = claim.requirements ?? planned.requirements;
  return {
    ...sound,
    claims: sound.claims.map((each) => ({ ...each, ...claim })),
    creations: sound.creations.flatMap((action) =>
      action.kind === 'createNodeClaim'
        ? [
            {
              ...action,
              claim: {
                ...action.claim,
                spec: { ...action.claim.spec, requirements },
                ...created,
              },
            },
          ]
        : [],
    ),
  };
};
/** A plan made for one cluster, judged in another one. */
const madeFor = (difference: Partial<Snapshot>): Placing => place(aSnapshot(difference));
const on = (node: string): Placing => ({
  ...place(aSnapshot()),
  placements: [{ pod: 'default/web', node }],
});
const hosting = (node: Parameters<typeof aNode>[0], pods = [aRunningPod()]): Snapshot =>
  aSnapshot({ pods: [web], nodes: [anUnmanagedNode(aNode(node), pods)] });
const pooled = (pool: Parameters<typeof aNodePool>[0], more: Partial<Snapshot> = {}): Snapshot =>
  aSnapshot({ pods: [web], nodePools: [aNodePool(pool)], ...more });

const PLANTED: readonly [string, Snapshot, Placing, string][] = [
  ['a pod that is forgotten', plain, madeFor({}), 'forgotten'],
  [
    'a pod that is told of twice',
    plain,
    { ...place(plain), placements: [{ pod: 'default/web', node: 'node-1' }] },
    'told of twice',
  ],
  ['a pod that nobody asked about', aSnapshot(), place(plain), 'left alone'],
  [
    'a listed type that is too small',
    aSnapshot({ pods: [aPod({ meta: { name: 'web' }, requests: { cpu: 3000 } })] }),
    place(plain),
    'too little cpu',
  ],
  [
    'a daemon that nobody reckoned with',
    aSnapshot({
      pods: [web],
      daemonSets: [aDaemonSet({ pod: aPod({ requests: { cpu: 1500 } }) })],
    }),
    place(plain),
    'm5.large on-demand us-east-1a: has too little cpu',
  ],
  [
    'a taint that is minded',
    pooled({ template: { taints: [taint('a=b:NoSchedule')] } }),
    place(plain),
    'minds a taint',
  ],
  [
    'a zone that was left open',
    aSnapshot({ pods: [aPod({ meta: { name: 'web' }, nodeSelector: { [ZONE]: 'us-east-1b' } })] }),
    place(plain),
    'us-east-1a: default/web asks for other labels',
  ],
  [
    'a pod of which one term is empty and the other asks for other labels',
    aSnapshot({
      pods: [
        aPod({
          meta: { name: 'web' },
          nodeAffinity: { required: [aTerm(), aTerm('team In a')], preferred: [] },
        }),
      ],
    }),
    place(plain),
    'asks for other labels',
  ],
  [
    'a label that the pool demands',
    pooled({ template: { requirements: [spec('team In a')] } }),
    place(plain),
    "breaks the pool's team",
  ],
  [
    'requirements that rule a listed type out',
    plain,
    changed({ requirements: [...planned.requirements, spec('kubernetes.io/arch In arm64')] }),
    'cannot be had',
  ],
  [
    'a type that is not listed and not ruled out',
    plain,
    changed({ instanceTypes: planned.instanceTypes.slice(0, 1) }),
    'open to a launch but not listed',
  ],
  [
    'types that are sold out',
    aSnapshot({
      pods: [web],
      catalog: aCatalog([anInstanceType('m5.large', { zones: [] }), ...M5_TYPES.slice(1)]),
    }),
    place(plain),
    'm5.large cannot be had',
  ],
  ['a price that is wrong', plain, changed({ usdPerHour: 0.01 }), 'it costs'],
  ['a sum that is wrong', plain, { ...place(plain), usdPerHour: 7 }, 'the sum'],
  ['a bound that is none', plain, { ...place(plain), lowerBoundUsdPerHour: 7 }, 'lower bound'],
  ['a NodeClaim that is not created', plain, { ...place(plain), creations: [] }, 'not created'],
  [
    'a NodeClaim that is created without its pool',
    plain,
    changed({}, { labels: {} }),
    'lacks the label karpenter.sh/nodepool',
  ],
  [
    'a limit that the largest listed type breaks',
    pooled({ limits: { cpu: 8000 } }),
    place(plain),
    'exceeds its limit of cpu',
  ],
  ['a limit of nodes', pooled({ limits: { nodes: 0 } }), place(plain), 'limit of nodes'],
  [
    'minValues that are not met',
    pooled({ template: { requirements: [spec('node.kubernetes.io/instance-type Exists', 9)] } }),
    place(plain),
    'minValues',
  ],
  [
    'minValues that are lowered in silence',
    pooled(
      { template: { requirements: [spec('node.kubernetes.io/instance-type Exists', 9)] } },
      { settings: someSettings({ minValuesPolicy: 'BestEffort' }) },
    ),
    place(plain),
    'minValues',
  ],
  ['a pool that is static', pooled({ replicas: 3 }), place(plain), 'gives no nodes'],
  ['a pool that is going', pooled({ meta: { deletedAt: NOON } }), place(plain), 'gives no nodes'],
  [
    'a heavier pool that is passed over',
    aSnapshot({
      pods: [web],
      nodePools: [aNodePool(), aNodePool({ meta: { name: 'heavy' }, weight: 9 })],
    }),
    place(plain),
    'though heavy is heavier',
  ],
  [
    'two pods on one host port',
    aSnapshot({
      pods: ['a', 'b'].map((name) => ({
        ...ofTwo(name),
        hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }],
      })),
    }),
    madeFor({ pods: [ofTwo('a'), ofTwo('b')], catalog: aCatalog(M5_TYPES.slice(3)) }),
    'host port',
  ],
  ['a node that is cordoned', hosting({ unschedulable: true }), on('node-1'), 'minds a taint'],
  [
    'a node that is full',
    hosting({}, [aRunningPod({ requests: { cpu: 1500 } })]),
    on('node-1'),
    'too little cpu',
  ],
  [
    'room that is promised',
    aSnapshot({
      ...spare,
      pods: [web, { ...ofTwo('sure'), nominatedNodeName: 'node-1' }],
    }),
    on('node-1'),
    'too little cpu',
  ],
  ['a node that is going', hosting({ meta: { deletedAt: NOON } }), on('node-1'), 'being deleted'],
  [
    'a pod that another keeps out of a zone',
    aSnapshot({
      pods: [web],
      nodes: [
        anUnmanagedNode(aNode(), [
          aRunningPod({
            podAntiAffinity: {
              required: [
                {
                  topologyKey: ZONE,
                  namespaces: [],
                  selector: { matchLabels: {}, matchExpressions: [] },
                },
              ],
              preferred: [],
            },
          }),
        ]),
      ],
    }),
    place(plain),
    'us-east-1a: default/web is kept away',
  ],
  ['a node that nobody knows', plain, on('ghost'), 'nobody knows'],
  [
    'a pod that is refused though there is room',
    spare,
    {
      ...place(aSnapshot()),
      refused: [{ pod: 'default/web', by: 'resources', because: 'no', nodePools: [] }],
    },
    'though node-1 would take it',
  ],
  [
    'a pod that is refused though a planned node has room',
    aSnapshot({ pods: [web, aPod({ meta: { name: 'other' } })] }),
    {
      ...place(plain),
      refused: [{ pod: 'default/other', by: 'limits', because: 'no', nodePools: [] }],
    },
    `default/other is refused though ${planned.name} would take it`,
  ],
  [
    'a pod that is refused though a node could be made',
    plain,
    {
      ...place(aSnapshot()),
      refused: [{ pod: 'default/web', by: 'resources', because: 'no', nodePools: [] }],
    },
    'though default could make a node',
  ],
];

describe('the judge of plans', () => {
  it('finds nothing wrong with what is sound', () => {
    expect(unsoundness(plain, place(plain))).toEqual([]);
    expect(unsoundness(spare, place(spare))).toEqual([]);
  });

  it.each(PLANTED)('finds %s', (_, snapshot, placing, words) => {
    const found = unsoundness(snapshot, placing);

    expect(found.filter((problem) => problem.includes(words))).not.toEqual([]);
  });
});
