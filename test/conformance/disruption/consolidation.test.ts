/**
 * Karpenter's behaviours of consolidation beside prices, restated.
 * Source: karpenter v1.14, disruption/consolidation_test.go, emptiness_test.go, validation.go.
 */
import { describe, expect, it } from 'vitest';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { certifyConsolidation } from '#lib/disruption/consolidation/certify.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster, aFreePool, aMember, MEDIUM, mover, pass, SETTLED } from '#test/build/members.ts';
import { conditionsUpTo } from '#test/build/node-claims.ts';
import { GIB, MINUTE, NOON, ownedBy } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { someSettings } from '#test/build/snapshots.ts';
import { aBoundClaim, aTerm, aVolume } from '#test/build/volumes.ts';

const SMALL = anInstanceType('m5.large', { cpu: 2 });
const LARGE = anInstanceType('m5.4xlarge', { cpu: 16, pods: 234 });
const poolWith = (disruption: Partial<NodePool['disruption']>) => ({
  nodePools: [aFreePool({ disruption })],
});
const certified = (members: readonly StateNode[], snapshot: Snapshot) =>
  certifyConsolidation(members, {
    snapshot,
    nominated: new Set(),
    inFlight: inFlightOf(snapshot),
    toPlace: { pods: [], promised: new Map(), expected: new Map() },
  });
const filled = (name: string, count: number, cpu: number) =>
  aMember(name, {
    pods: Array.from({ length: count }, (_, at) => mover(`${name}-${at}`, cpu)),
  });

describe('Consolidation', () => {
  it('22: what replaces a node is worked out anew before it is made; upstream compares lists', () => {
    const node = aMember('a', { type: LARGE, pods: [mover('web', 500)] });
    const command = certified([node], aCluster([node], { types: [LARGE, MEDIUM] }));
    const later = certified([node], aCluster([node], { types: [LARGE, SMALL] }));

    expect(command).toMatchObject({ replacements: [{ instanceTypes: ['m5.xlarge'] }] });
    expect(later).toMatchObject({ replacements: [{ instanceTypes: ['m5.large'] }] });
  });

  it('23: a removal that no longer fits is none; upstream also refuses one that fits better', () => {
    const [a, b] = [filled('a', 1, 500), filled('b', 1, 500)];
    const full = filled('b', 1, 3900);

    expect(certified([a], aCluster([a, b]))).toMatchObject({ replacements: [] });
    expect(certified([a], aCluster([a, full]))).toMatchObject({ by: expect.any(String) });
  });

  it('25: of ten empty nodes as many go as the budget allows, and none at 0%', () => {
    const nodes = Array.from({ length: 10 }, (_, at) => aMember(`n${at}`));
    const gone = (share: string) =>
      pass(aCluster(nodes, poolWith({ budgets: [{ nodes: share }] }))).removed.length;

    expect([gone('30%'), gone('100%'), gone('0%')]).toEqual([3, 10, 0]);
  });

  it('26: of ten nodes that could go, three go at 30%', () => {
    const nodes = Array.from({ length: 10 }, (_, at) => filled(`n${at}`, 1, 100));
    const { plan } = pass(aCluster(nodes, poolWith({ budgets: [{ nodes: '30%' }] })));

    expect(plan.commands.flatMap(({ remove }) => remove)).toHaveLength(3);
    expect(plan.kept.filter(({ by }) => by === 'budget').length).toBeGreaterThan(0);
  });

  it('35: a node takes no moved pods while its own are settling, and does afterwards', () => {
    const disruption = poolWith({ consolidateAfter: MINUTE });
    const restless = { status: { lastPodEventAt: NOON - 10_000 } };
    const nodes = [
      aMember('a', {
        pods: [mover('one', 100)],
        claim: restless,
        conditions: conditionsUpTo('Initialized'),
      }),
      aMember('b', {
        pods: [mover('two', 100), mover('three', 100)],
        claim: restless,
        conditions: conditionsUpTo('Initialized'),
      }),
    ];
    const settled = nodes.map(({ name, pods }) => aMember(name, { pods, claim: restless }));

    expect(pass(aCluster(nodes, disruption)).removed).toEqual([]);
    expect(pass(aCluster(settled, { ...disruption, takenAt: NOON + 2 * MINUTE })).removed).toEqual([
      'a',
    ]);
  });

  it('36: a node that is never consolidated takes pods at any time, and never goes', () => {
    const pools = {
      nodePools: [
        aFreePool(),
        aFreePool({ meta: { name: 'never' }, disruption: { consolidateAfter: 'Never' } }),
      ],
    };
    const never = aMember('b', {
      pool: 'never',
      conditions: conditionsUpTo('Initialized'),
      claim: { status: { lastPodEventAt: NOON } },
    });
    const { removed, why } = pass(aCluster([filled('a', 1, 100), never], pools));

    expect(removed).toEqual(['a']);
    expect(why('b')).toBe('NodePool "never" has consolidation disabled');
  });

  it('37: a replacement needs no settled destination', () => {
    const node = aMember('a', {
      type: LARGE,
      pods: [mover('web', 500)],
      claim: { status: { lastPodEventAt: NOON - 2 * MINUTE } },
    });
    const cluster = aCluster([node], {
      types: [LARGE, SMALL],
      ...poolWith({ consolidateAfter: MINUTE }),
    });

    expect(pass(cluster)).toMatchObject({ removed: ['a'], made: [['m5.large']] });
  });

  const young = (name: string) =>
    aMember(name, {
      labels: { 'karpenter.sh/initialized': 'false' },
      conditions: conditionsUpTo('Registered'),
    });

  it('38: nobody moves to a node that is not initialized', () => {
    const { removed, why } = pass(aCluster([filled('a', 1, 3900), young('b')], {}));

    expect(removed).toEqual([]);
    expect(why('a')).toContain('Not all pods would schedule');
    expect(why('a')).toContain('would schedule against uninitialized nodeclaim/claim-b, node/b');
  });

  it('39: among many that are not, the one that is initialized is found', () => {
    const nodes = Array.from({ length: 20 }, (_, at) => young(`n${at}`));
    const cluster = aCluster([...nodes, filled('source', 1, 100), filled('target', 2, 100)]);

    expect(pass(cluster).plan.commands).toMatchObject([{ remove: ['source'], replaceWith: [] }]);
  });

  it('41: a pod that fits nowhere hinders nobody', () => {
    const lost = aPod({ nodeSelector: { nowhere: 'true' } });
    const cluster = aCluster([filled('a', 1, 100), filled('b', 2, 100)], { pods: [lost] });

    expect(pass(cluster).removed).toEqual(['a']);
  });

  it('42: a node whose pods do not all fit elsewhere stays', () => {
    expect(pass(aCluster([filled('a', 2, 1500), filled('b', 2, 1500)])).removed).toEqual([]);
  });

  it('43: a node that a large pod waits for is not made smaller', () => {
    const node = aMember('a', { type: LARGE, pods: [mover('web', 500)] });
    const waiting = aPod({ requests: { cpu: 15_000, memory: GIB } });
    const { removed, why } = pass(aCluster([node], { types: [LARGE, SMALL], pods: [waiting] }));

    expect(removed).toEqual([]);
    expect(why('a')).toBe('Node is nominated for a pending pod');
  });

  it('44: DaemonSet pods and ending ones leave a node empty, a StatefulSet’s ending one does not', () => {
    const held = (kind: 'DaemonSet' | 'ReplicaSet' | 'StatefulSet', isGoing: boolean) =>
      pass(
        aCluster([
          aMember('a', {
            pods: [
              mover('web', 3900, {
                meta: { owners: [ownedBy(kind)], ...(isGoing && { deletedAt: NOON }) },
              }),
            ],
          }),
        ]),
      ).plan.commands.map(({ reason }) => reason);

    expect(held('DaemonSet', false)).toEqual(['Empty']);
    expect(held('ReplicaSet', true)).toEqual(['Empty']);
    expect(held('StatefulSet', true)).not.toContain('Empty');
  });

  it('76: of two equal nodes the one with fewer pods goes, whatever is left of its life', () => {
    const old = filled('old', 2, 100);
    const fresh = aMember('new', {
      pods: [mover('one', 100)],
      claim: { spec: { expireAfter: 48 * 60 * MINUTE } },
    });

    expect(pass(aCluster([old, fresh])).removed).toEqual(['new']);
  });

  it('95: a node that is not Consolidatable is neither emptied nor consolidated', () => {
    const conditions = conditionsUpTo('Initialized');
    const off = [
      ...conditions,
      { ...SETTLED[0], type: 'Consolidatable', status: 'False' as const },
    ];
    const nodes = [
      aMember('a', { conditions }),
      aMember('b', { conditions, pods: [mover('x', 100)] }),
    ];
    const cluster = aCluster([...nodes, aMember('c', { conditions: off as typeof conditions })]);

    expect(pass(cluster).removed).toEqual([]);
  });

  it('96: the policy WhenEmpty keeps nodes with pods, and says so', () => {
    const cluster = aCluster(
      [filled('a', 1, 100), filled('b', 1, 100)],
      poolWith({ consolidationPolicy: 'WhenEmpty' }),
    );
    const { removed, why } = pass(cluster);

    expect(removed).toEqual([]);
    expect(why('a')).toBe(
      'NodePool "default" has consolidation policy WhenEmpty, but node is not empty',
    );
  });

  const spread = (name: string, cpu = 100) =>
    mover(name, cpu, {
      meta: { labels: { app: 'web' } },
      topologySpread: [
        {
          topologyKey: 'topology.kubernetes.io/zone',
          maxSkew: 1,
          whenUnsatisfiable: 'DoNotSchedule',
          selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
          matchLabelKeys: [],
          nodeAffinityPolicy: 'Honor',
          nodeTaintsPolicy: 'Ignore',
        },
      ],
    });

  it('103: what replaces a node keeps the spread of its pods over zones', () => {
    const nodes = [
      aMember('a', { type: SMALL, zone: 'us-east-1a', pods: [spread('one', 1900)] }),
      aMember('b', { type: LARGE, zone: 'us-east-1b', pods: [spread('two', 1900)] }),
      aMember('c', { type: SMALL, zone: 'us-east-1c', pods: [spread('three', 1900)] }),
    ];
    const { plan } = pass(aCluster(nodes, { types: [SMALL, LARGE] }));
    const claim = plan.nodeClaims.find(({ pods }) => pods.includes('default/two'));

    expect(claim?.cheapest.zone).toBe('us-east-1b');
  });

  it('104: pods that keep apart from each other stay on three nodes', () => {
    const loner = (name: string) =>
      mover(name, 100, {
        meta: { labels: { app: 'web' } },
        podAntiAffinity: {
          required: [
            {
              topologyKey: 'kubernetes.io/hostname',
              selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
              namespaces: [],
            },
          ],
          preferred: [],
        },
      });
    const nodes = ['a', 'b', 'c'].map((name) =>
      aMember(name, { type: SMALL, capacityType: 'spot', pods: [loner(`on-${name}`)] }),
    );

    expect(pass(aCluster(nodes, { types: [SMALL] })).removed).toEqual([]);
  });

  it('105: preferences hold nobody where they are ignored', () => {
    const wish = mover('wish', 100, {
      nodeAffinity: {
        required: [],
        preferred: [
          {
            weight: 1,
            term: {
              matchExpressions: [
                { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.4xlarge'] },
              ],
              hasMatchFields: false,
            },
          },
        ],
      },
    });
    const settings = someSettings({ preferencePolicy: 'Ignore' });
    const cluster = aCluster([aMember('a', { type: LARGE, pods: [wish] })], {
      types: [LARGE, SMALL],
      settings,
    });

    expect(pass(cluster)).toMatchObject({ removed: ['a'], made: [['m5.large']] });
  });

  it('106: a pod with a local volume may leave the node that the volume is on', () => {
    const pod = mover('web', 500, { volumes: [{ volume: 'v', claimName: 'local' }] });
    const cluster = aCluster([aMember('a', { type: LARGE, pods: [pod] })], {
      types: [LARGE, SMALL],
      persistentVolumeClaims: [aBoundClaim({ meta: { name: 'local' } })],
      persistentVolumes: [
        aVolume({
          meta: { name: 'pv-local' },
          isLocal: true,
          nodeAffinity: [aTerm('kubernetes.io/hostname In a')],
        }),
      ],
    });

    expect(pass(cluster)).toMatchObject({ removed: ['a'] });
  });

  it('108: a node that pods of a deleting node need is not consolidated', () => {
    const going = aMember('going', {
      pods: [mover('big', 3500)],
      claim: { meta: { deletedAt: NOON } },
    });
    const cluster = aCluster([going, filled('fresh', 1, 100), filled('other', 1, 3000)]);

    expect(pass(cluster).removed).not.toContain('fresh');
  });

  it('115: three dear nodes with a small pod each become one', () => {
    const nodes = ['a', 'b', 'c'].map((name) =>
      aMember(name, { type: LARGE, pods: [mover(`on-${name}`, 600)] }),
    );
    const { plan } = pass(aCluster(nodes, { types: [LARGE, SMALL] }));

    expect(plan.commands.flatMap(({ remove }) => remove).sort()).toEqual(['a', 'b', 'c']);
    expect(plan.nodeClaims.map(({ instanceTypes }) => instanceTypes)).toEqual([['m5.large']]);
  });

  it('116: empty nodes go as empty ones', () => {
    const reasons = pass(aCluster([aMember('a'), aMember('b')])).plan.commands.map(
      ({ reason }) => reason,
    );

    expect(reasons).toEqual(['Empty', 'Empty']);
  });

  it('114: nodes of all pools are looked at, those that waste most first; upstream takes turns', () => {
    const pools = {
      nodePools: [
        aFreePool(),
        aFreePool({ meta: { name: 'other' }, disruption: { budgets: [{ nodes: '1' }] } }),
      ],
    };
    const small = (name: string, pool: string) =>
      aMember(name, { pool, pods: [mover(`on-${name}`, 100)] });
    const { plan } = pass(
      aCluster(
        [small('a', 'default'), small('b', 'other'), small('c', 'other'), filled('z', 2, 1000)],
        pools,
      ),
    );

    expect(plan.commands.flatMap(({ remove }) => remove)).toHaveLength(2);
  });
});
