/** Pods that ask for anything that placement knows, for laws that hold in every cluster. */
import fc from 'fast-check';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '#lib/model/pod.ts';
import { spec, taint, tolerating } from './constraints.ts';
import { GIB, ownedBy } from './objects.ts';
import { aPod } from './pods.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const HOSTNAME = 'kubernetes.io/hostname';

/** One of the first, mostly: a feature that most pods do not use. */
export const seldom = <T>(usual: T, rare: fc.Arbitrary<T>, share = 5): fc.Arbitrary<T> =>
  fc.oneof({ weight: share, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });

const line = fc.constantFrom(
  `${ZONE} In us-east-1a`,
  `${ZONE} In us-east-1b us-east-1c`,
  `${ZONE} NotIn us-east-1a`,
  `${CAPACITY_TYPE} In on-demand`,
  `${CAPACITY_TYPE} In reserved on-demand`,
  'kubernetes.io/arch In arm64',
  'karpenter.k8s.aws/instance-cpu Gt 3',
  'karpenter.k8s.aws/instance-family NotIn m5',
  'team In a',
  'team DoesNotExist',
  'rack In r1',
  'nobody Exists',
);
const term = fc
  .array(line, { maxLength: 2 })
  .map((lines) => ({ matchExpressions: lines.map((text) => spec(text)), hasMatchFields: false }));

/** Values of the label app, which selectors look for. */
const app = fc.constantFrom('a', 'b', 'c');
const topologyKey = fc.constantFrom(ZONE, ZONE, HOSTNAME, HOSTNAME, CAPACITY_TYPE, 'rack', 'team');
const selector = fc.oneof(
  {
    weight: 8,
    arbitrary: app.map((value) => ({ matchLabels: { app: value }, matchExpressions: [] })),
  },
  {
    weight: 2,
    arbitrary: fc.constant({
      matchLabels: {},
      matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['a', 'b'] }],
    }),
  },
  { weight: 1, arbitrary: fc.constant({ matchLabels: {}, matchExpressions: [] }) },
);

/** A term of pod affinity or anti-affinity. */
export const anAffinityTerm: fc.Arbitrary<PodAffinityTerm> = fc
  .record({
    topologyKey,
    selector,
    namespaces: seldom<string[]>([], fc.constantFrom(['far'], ['default', 'far'])),
    namespaceSelector: seldom(
      undefined,
      fc.constantFrom(
        { matchLabels: {}, matchExpressions: [] },
        { matchLabels: { tier: 'far' }, matchExpressions: [] },
      ),
    ),
  })
  .map(({ namespaceSelector, ...rest }) => ({
    ...rest,
    ...(namespaceSelector && { namespaceSelector }),
  }));

const constraint: fc.Arbitrary<TopologySpreadConstraint> = fc
  .record({
    topologyKey,
    selector,
    maxSkew: fc.constantFrom(1, 1, 1, 2, 5),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'),
    minDomains: seldom(undefined, fc.constantFrom(2, 3, 4)),
    matchLabelKeys: seldom<string[]>([], fc.constantFrom(['version'], ['none'])),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Honor', 'Ignore'),
    nodeTaintsPolicy: fc.constantFrom('Ignore', 'Ignore', 'Honor'),
  })
  .map(({ minDomains, ...rest }) => ({ ...rest, ...(minDomains !== undefined && { minDomains }) }));

const halves = (required: fc.Arbitrary<PodAffinityTerm[]>) =>
  fc.record({
    required,
    preferred: seldom(
      [],
      fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), term: anAffinityTerm }), {
        minLength: 1,
        maxLength: 2,
      }),
      7,
    ),
  });

/** Names of claims for volumes: what `someVolumes` has, and one that nobody made. */
const CLAIMS = ['in-a', 'in-b-or-c', 'waits', 'waits-in-a', 'waits-in-b-or-c', 'at-once', 'none'];

const volumes = seldom<Pod['volumes']>(
  [],
  fc
    .uniqueArray(fc.constantFrom(...CLAIMS), { minLength: 1, maxLength: 2 })
    .map((names) => names.map((claimName) => ({ volume: `v-${claimName}`, claimName }))),
);

/** Several equal pods, as a ReplicaSet makes them. */
export interface PodWish {
  readonly copies: number;
  readonly app: string;
  readonly version: string;
  readonly namespace: string;
  readonly pod: Partial<Pod>;
}

export const aPodWish: fc.Arbitrary<PodWish> = fc.record({
  copies: fc.integer({ min: 1, max: 7 }),
  app,
  version: fc.constantFrom('v1', 'v2'),
  namespace: seldom('default', fc.constant('far')),
  pod: fc.record({
    requests: fc.record({
      pods: fc.constant(1),
      cpu: fc.constantFrom(0, 50, 400, 400, 1500, 3900, 9000, 40_000),
      memory: fc.constantFrom(0, GIB / 4, GIB, 7 * GIB, 30 * GIB),
      'nvidia.com/gpu': fc.constantFrom(0, 0, 0, 0, 0, 1),
    }),
    nodeSelector: seldom<Pod['nodeSelector']>(
      {},
      fc.constantFrom({ [ZONE]: 'us-east-1b' }, { rack: 'r2' }),
    ),
    nodeAffinity: fc.record({
      required: seldom([], fc.array(term, { minLength: 1, maxLength: 2 }), 2),
      preferred: seldom(
        [],
        fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), term }), {
          minLength: 1,
          maxLength: 2,
        }),
        3,
      ),
    }),
    podAffinity: halves(seldom([], fc.array(anAffinityTerm, { minLength: 1, maxLength: 2 }))),
    podAntiAffinity: halves(seldom([], fc.array(anAffinityTerm, { minLength: 1, maxLength: 2 }))),
    topologySpread: seldom([], fc.array(constraint, { minLength: 1, maxLength: 2 }), 2),
    tolerations: fc.constantFrom(
      [],
      [],
      [tolerating('dedicated')],
      [{ operator: 'Exists' as const }],
    ),
    hostPorts: seldom<Pod['hostPorts']>(
      [],
      fc.constantFrom(
        [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }],
        [{ ip: '10.0.0.1', port: 80, protocol: 'TCP' as const }],
      ),
    ),
    volumes,
  }),
});

/** The pods of these wishes: app-0-0, app-0-1, …, app-1-0, … */
export const podsOf = (wishes: readonly PodWish[], more: Partial<Pod> = {}): Pod[] =>
  wishes.flatMap(({ copies, app: value, version, namespace, pod }, wish) =>
    Array.from({ length: copies }, (_, copy) =>
      aPod({
        ...pod,
        ...more,
        meta: {
          name: `app-${wish}-${copy}`,
          namespace,
          labels: { app: value, version },
          owners: [ownedBy('ReplicaSet')],
        },
      }),
    ),
  );

/** Taints that pods may or may not put up with. */
export const someTaints = fc.constantFrom(
  [],
  [],
  [],
  [taint('dedicated=x:NoSchedule')],
  [taint('dedicated=x:PreferNoSchedule')],
);
