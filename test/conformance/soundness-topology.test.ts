import { describe, expect, it } from 'vitest';
import { type Placing, place } from '#lib/decide/place.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import {
  aBoundClaim,
  aCsiNode,
  aStorageClass,
  aTerm,
  aVolume,
  aVolumeClaim,
  inZones,
} from '#test/build/volumes.ts';
import { unsoundness } from './soundness.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const WEB = { app: 'web' };
const ALL = { matchLabels: {}, matchExpressions: [] };
const term = (topologyKey: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey,
  namespaces: [],
  selector: { ...ALL, matchLabels: WEB },
  ...more,
});
const apart = (...required: PodAffinityTerm[]) => ({
  podAntiAffinity: { required, preferred: [] },
});
const near = (...required: PodAffinityTerm[]) => ({ podAffinity: { required, preferred: [] } });
const even = (topologyKey: string, more: Partial<TopologySpreadConstraint> = {}): Partial<Pod> => ({
  topologySpread: [
    {
      topologyKey,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      selector: { ...ALL, matchLabels: WEB },
      matchLabelKeys: [],
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      ...more,
    },
  ],
});
const web = (name: string, difference: Partial<Pod> = {}): Pod =>
  aPod({ requests: { cpu: 100 }, ...difference, meta: { name, labels: WEB } });
const running = (name: string, node: string, difference: Partial<Pod> = {}): Pod =>
  aRunningPod({ ...difference, nodeName: node, meta: { name, labels: WEB } });
const inZone = (letter: string, pods: readonly Pod[] = [], name = `node-${letter}`) =>
  anUnmanagedNode(aNode({ meta: { name, labels: { [ZONE]: `us-east-1${letter}` } } }), pods);

const inRack = (letter: string, rack: string, pods: readonly Pod[] = []) =>
  anUnmanagedNode(
    aNode({
      meta: { name: `node-${letter}-${rack}`, labels: { [ZONE]: `us-east-1${letter}`, rack } },
    }),
    pods,
  );

/** A node in each of two racks, of which y is tainted. */
const RACKS = ['x', 'y'].map((rack) =>
  anUnmanagedNode(
    aNode({
      meta: { name: `node-${rack}`, labels: { rack } },
      taints: rack === 'y' ? [{ key: 'no', value: '', effect: 'NoSchedule' }] : [],
    }),
  ),
);

/** Each of these pods on the node it is said to be on. */
const on = (placements: Readonly<Record<string, string>>): Placing => ({
  ...place(aSnapshot()),
  placements: Object.entries(placements).map(([pod, node]) => ({ pod: `default/${pod}`, node })),
});
/** New nodes that are planned as though nobody asked for anything but zones. */
const blind = (snapshot: Partial<Snapshot>): Placing =>
  place(
    aSnapshot({
      ...snapshot,
      pods: (snapshot.pods ?? []).map((pod) =>
        web(pod.meta.name, { nodeSelector: pod.nodeSelector }),
      ),
    }),
  );
const zoned = (letter: string) => ({ nodeSelector: { [ZONE]: `us-east-1${letter}` } });

type Case = readonly [string, Partial<Snapshot>, Placing | undefined, string];

const PLANTED: readonly Case[] = [
  [
    'pods that keep apart on one node',
    { pods: [web('a', apart(term(HOSTNAME))), web('b')] },
    undefined,
    'with a pod it keeps away',
  ],
  [
    'a pod that keeps another away which runs in the zone',
    { pods: [web('a', apart(term(ZONE)))], nodes: [inZone('a', [running('old', 'node-a')])] },
    on({ a: 'node-a' }),
    'default/a may share topology.kubernetes.io/zone of node-a',
  ],
  [
    'pods that keep apart on new nodes whose zones are open',
    {
      pods: [web('a', { ...apart(term(ZONE)) })],
      nodes: [inZone('a', [running('old', 'node-a')])],
    },
    blind({ pods: [web('a')] }),
    'with a pod it keeps away',
  ],
  [
    'a pod that keeps away another of a namespace it selects',
    {
      pods: [web('a', apart(term(ZONE, { namespaceSelector: ALL })))],
      nodes: [
        inZone('a', [aRunningPod({ nodeName: 'node-a', meta: { namespace: 'far', labels: WEB } })]),
      ],
    },
    on({ a: 'node-a' }),
    'with a pod it keeps away',
  ],
  [
    'a running pod that keeps a newcomer off its node',
    { pods: [web('a')], nodes: [inZone('a', [running('old', 'node-a', apart(term(HOSTNAME)))])] },
    on({ a: 'node-a' }),
    'keeps default/a away',
  ],
  [
    'a pod that is far from what it must be near',
    {
      pods: [web('a', near(term(ZONE)))],
      nodes: [inZone('a', [running('old', 'node-a')]), inZone('b')],
    },
    on({ a: 'node-b' }),
    'without what it must be near',
  ],
  [
    'a pod near something that is in an open zone',
    { pods: [web('a', near(term(ZONE)))], nodes: [inZone('a', [running('old', 'node-a')])] },
    blind({ pods: [web('a')] }),
    'without what it must be near',
  ],
  [
    'pods that must be near each other and are not',
    {
      pods: [web('a', near(term(ZONE))), web('b', near(term(ZONE)))],
      nodes: [inZone('a'), inZone('b')],
    },
    on({ a: 'node-a', b: 'node-b' }),
    'without what it must be near',
  ],
  [
    'two firsts of a kind',
    {
      pods: [
        web('a', { ...near(term(ZONE)), ...zoned('a') }),
        web('b', { ...near(term(ZONE)), ...zoned('b') }),
      ],
      nodes: [inZone('a'), inZone('b')],
    },
    on({ a: 'node-a', b: 'node-b' }),
    'without what it must be near',
  ],
  [
    'a pod that looks for what is nowhere',
    {
      pods: [web('a', near(term(ZONE, { selector: { ...ALL, matchLabels: { app: 'db' } } })))],
      nodes: [inZone('a')],
    },
    on({ a: 'node-a' }),
    'without what it must be near',
  ],
  [
    'a pod whose terms are met by different pods',
    {
      pods: [
        web(
          'a',
          near(term(ZONE), term(ZONE, { selector: { ...ALL, matchLabels: { app: 'db' } } })),
        ),
      ],
      nodes: [
        inZone('a', [
          running('old', 'node-a'),
          aRunningPod({ nodeName: 'node-a', meta: { name: 'db', labels: { app: 'db' } } }),
        ]),
      ],
    },
    on({ a: 'node-a' }),
    'without what it must be near',
  ],
  [
    'a node without the label that affinity is over',
    { pods: [web('a', near(term('rack')))], nodes: [inZone('a')] },
    on({ a: 'node-a' }),
    'without what it must be near',
  ],
  [
    'a zone that gets too many',
    { pods: [web('a', even(ZONE)), web('b', even(ZONE))], nodes: [inZone('a')] },
    on({ a: 'node-a', b: 'node-a' }),
    'too uneven in us-east-1a',
  ],
  [
    'a zone that would be even if the others could be had',
    {
      pods: [web('a', even(ZONE))],
      nodes: [inZone('a', [running('old', 'node-a')]), inZone('b', [running('older', 'node-b')])],
    },
    on({ a: 'node-a' }),
    'too uneven',
  ],
  [
    'a spread that is even only in some zones',
    { pods: ['a', 'b', 'c', 'd'].map((name) => web(name, even(ZONE))) },
    undefined,
    'too uneven',
  ],
  [
    'a spread that counts domains which its pod may not go to, as its policy is to ignore that',
    {
      pods: [web('a', { ...even(ZONE, { nodeAffinityPolicy: 'Ignore' }), ...zoned('a') })],
      nodes: [inZone('a', [running('old', 'node-a')]), inZone('b')],
      nodePools: [],
    },
    on({ a: 'node-a' }),
    'too uneven in us-east-1a',
  ],
  [
    'a spread that counts nodes which lack the label of the other one',
    {
      pods: [
        web('a', {
          topologySpread: [
            ...(even(ZONE).topologySpread ?? []),
            ...(even('rack', { maxSkew: 5 }).topologySpread ?? []),
          ],
        }),
      ],
      nodes: [
        inRack('a', 'x', [running('old', 'node-a-x')]),
        inRack('b', 'x'),
        inZone('b', [running('older', 'node-b')]),
      ],
      nodePools: [],
    },
    on({ a: 'node-a-x' }),
    'too uneven in us-east-1a',
  ],
  [
    'a spread that forgets a node which is on its way',
    {
      pods: [web('a', even(ZONE))],
      nodes: [
        inZone('b', [running('old', 'node-b')]),
        anInFlightNode(aNodeClaim({ meta: { name: 'claim-1' } })),
      ],
      nodePools: [],
    },
    on({ a: 'node-b' }),
    'too uneven in us-east-1b',
  ],
  [
    'fewer domains than the least',
    {
      pods: [web('a', even(ZONE, { minDomains: 4 }))],
      nodes: ['a', 'b', 'c'].map((each) => inZone(each, [running(`old-${each}`, `node-${each}`)])),
    },
    on({ a: 'node-a' }),
    'too uneven',
  ],
  [
    'a node without the label that is spread over',
    { pods: [web('a', even('rack'))], nodes: [inZone('a')] },
    on({ a: 'node-a' }),
    'too uneven',
  ],
  [
    'two of one version on one node',
    {
      pods: [web('a', even(HOSTNAME, { matchLabelKeys: ['app'] })), web('b', even(HOSTNAME))],
    },
    undefined,
    'too uneven',
  ],
  [
    'a spread that counts nodes whose taints it minds',
    {
      pods: [web('a', even('rack')), web('b', even('rack'))],
      nodes: RACKS,
    },
    on({ a: 'node-x', b: 'node-x' }),
    'too uneven in x',
  ],
  [
    'a preference that is given up in silence',
    {
      pods: [
        web('a', {
          nodeAffinity: {
            required: [],
            preferred: [{ weight: 1, term: aTerm(`${ZONE} In us-east-1b`) }],
          },
        }),
      ],
      nodes: [inZone('a')],
    },
    on({ a: 'node-a' }),
    'go without what they prefer, 0 are told of',
  ],
  [
    'a pod beside one that it would rather not be near, in silence',
    {
      pods: [
        web('a', {
          podAntiAffinity: { required: [], preferred: [{ weight: 1, term: term(HOSTNAME) }] },
        }),
      ],
      nodes: [inZone('a', [running('old', 'node-a')])],
    },
    on({ a: 'node-a' }),
    'go without what they prefer, 0 are told of',
  ],
  [
    'a volume that no node can have, as its one term is empty',
    {
      pods: [web('a', { volumes: [{ volume: 'v', claimName: 'data' }] })],
      persistentVolumeClaims: [aBoundClaim()],
      persistentVolumes: [aVolume({ nodeAffinity: [aTerm()] })],
    },
    blind({ pods: [web('a')] }),
    'cannot have its volume v',
  ],
  [
    'a volume that is elsewhere',
    {
      pods: [web('a', { volumes: [{ volume: 'v', claimName: 'data' }] })],
      persistentVolumeClaims: [aBoundClaim()],
      persistentVolumes: [aVolume({ nodeAffinity: inZones('us-east-1b') })],
    },
    blind({ pods: [web('a')] }),
    'cannot have its volume v',
  ],
  [
    'a volume that may not be made where the pod goes',
    {
      pods: [web('a', { volumes: [{ volume: 'v', claimName: 'data' }] })],
      persistentVolumeClaims: [aVolumeClaim()],
      storageClasses: [
        aStorageClass({ allowedTopologies: [[{ key: ZONE, values: ['us-east-1b'] }]] }),
      ],
      nodes: [inZone('a')],
    },
    on({ a: 'node-a' }),
    'cannot have its volume v',
  ],
  [
    'a volume of nobody',
    {
      pods: [web('a', { volumes: [{ volume: 'v', claimName: 'data' }] })],
      nodes: [inZone('a')],
    },
    on({ a: 'node-a' }),
    'cannot have its volume v',
  ],
  [
    'more volumes than a node can attach',
    {
      pods: ['a', 'b'].map((name) => web(name, { volumes: [{ volume: 'v', claimName: name }] })),
      persistentVolumeClaims: ['a', 'b'].map((name) => aVolumeClaim({ meta: { name } })),
      storageClasses: [aStorageClass()],
      csiNodes: [aCsiNode('node-a', 1)],
      nodes: [inZone('a')],
    },
    on({ a: 'node-a', b: 'node-a' }),
    'too many volumes',
  ],
  [
    'a zone too full of which only a NodeClaim tells',
    {
      nodePools: [],
      nodes: [anInFlightNode(aNodeClaim())],
      pods: ['a', 'b'].map((name) => web(name, even(ZONE, { minDomains: 2 }))),
    },
    on({ a: 'claim-1', b: 'claim-1' }),
    'too uneven in us-east-1a',
  ],
  [
    'a pod refused for the sake of a zone whose only node leaves',
    {
      nodePools: [],
      nodes: [
        inZone('b'),
        aStateNode({ claim: aNodeClaim({ meta: { deletedAt: NOON } }), node: aNode() }),
      ],
      pods: ['a', 'b'].map((name) => web(name, even(ZONE))),
    },
    {
      ...on({ a: 'node-b' }),
      refused: [{ pod: 'default/b', by: 'topology', because: 'no', nodePools: [] }],
    },
    'default/b is refused though node-b would take it',
  ],
];

const SOUND: readonly Case[] = [
  [
    'pods that keep apart on nodes of their own',
    {
      pods: [web('a', apart(term(HOSTNAME))), web('b', apart(term(HOSTNAME)))],
      nodes: [inZone('a'), inZone('b')],
    },
    on({ a: 'node-a', b: 'node-b' }),
    '',
  ],
  [
    'the first of its kind, and those who follow it',
    {
      pods: ['a', 'b', 'c'].map((name) => web(name, near(term(ZONE)))),
      nodes: [inZone('a'), inZone('a', [], 'node-d')],
    },
    on({ a: 'node-a', b: 'node-a', c: 'node-d' }),
    '',
  ],
  [
    'an even spread',
    {
      pods: ['a', 'b', 'c', 'd'].map((name) => web(name, even(ZONE))),
      nodes: ['a', 'b', 'c'].map((each) => inZone(each)),
    },
    on({ a: 'node-a', b: 'node-b', c: 'node-c', d: 'node-a' }),
    '',
  ],
  [
    'a spread that leaves out what its owner may not use',
    {
      pods: [
        web('a', { ...even(ZONE), ...zoned('a') }),
        web('b', { ...even(ZONE), ...zoned('a') }),
      ],
      nodes: [inZone('a')],
    },
    on({ a: 'node-a', b: 'node-a' }),
    '',
  ],
  [
    'a spread that leaves out nodes whose taints it minds',
    {
      pods: ['a', 'b'].map((name) => web(name, even('rack', { nodeTaintsPolicy: 'Honor' }))),
      nodes: RACKS,
    },
    on({ a: 'node-x', b: 'node-x' }),
    '',
  ],
  [
    'pods that others made uneven after they were bound',
    {
      pods: [web('a', even(ZONE)), web('b'), web('c')],
      nodes: [inZone('a')],
      nodePools: [
        aNodePool({ template: { requirements: [spec(`${ZONE} In us-east-1a us-east-1b`)] } }),
      ],
    },
    on({ a: 'node-a', b: 'node-a', c: 'node-a' }),
    '',
  ],
  [
    'volumes where they are',
    {
      pods: [web('a', { volumes: [{ volume: 'v', claimName: 'data' }] })],
      persistentVolumeClaims: [aBoundClaim()],
      persistentVolumes: [aVolume({ nodeAffinity: inZones('us-east-1b', 'us-east-1a') })],
      nodes: [inZone('a')],
    },
    on({ a: 'node-a' }),
    '',
  ],
];

describe('the judge of topology and volumes', () => {
  it.each(PLANTED)('finds %s', (_, difference, placing, words) => {
    const found = unsoundness(aSnapshot(difference), placing ?? blind(difference));

    expect(found.filter((problem) => problem.includes(words))).not.toEqual([]);
  });

  it.each(SOUND)('finds nothing wrong with %s', (_, difference, placing) => {
    expect(unsoundness(aSnapshot(difference), placing ?? blind(difference))).toEqual([]);
  });
});
