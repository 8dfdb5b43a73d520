import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import type { Pod } from '#lib/model/pod.ts';
import { joinDraft, type NodeClaimDraft, openDraft } from '#lib/solver/opening/draft.ts';
import { createFilling, filledDraft, joinFilling } from '#lib/solver/opening/filling.ts';
import { lineUp } from '#lib/solver/opening/lineup.ts';
import { spec } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const HOSTNAME = 'kubernetes.io/hostname';
const app = (name: string) => ({ matchLabels: { app: name }, matchExpressions: [] });
const term = (name: string) => ({
  topologyKey: HOSTNAME,
  selector: app(name),
  namespaces: [],
});
const spread = {
  topologyKey: HOSTNAME,
  maxSkew: 2,
  whenUnsatisfiable: 'DoNotSchedule' as const,
  selector: app('a'),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor' as const,
  nodeTaintsPolicy: 'Ignore' as const,
};

const somePod: fc.Arbitrary<Partial<Pod>> = fc.record({
  requests: fc.record({
    pods: fc.constant(1),
    cpu: fc.constantFrom(0, 100, 900, 1900, 30_000),
    memory: fc.constantFrom(0, GIB / 4, 3 * GIB),
  }),
  nodeSelector: fc.constantFrom<Record<string, string>[]>(
    {},
    {},
    { 'topology.kubernetes.io/zone': 'us-east-1a' },
    { 'topology.kubernetes.io/zone': 'us-east-1b' },
    { 'karpenter.sh/capacity-type': 'spot' },
  ),
  hostPorts: fc.constantFrom([], [], [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }]),
  topologySpread: fc.constantFrom([], [], [spread]),
  podAntiAffinity: fc.constantFrom(
    { required: [], preferred: [] },
    { required: [], preferred: [] },
    { required: [term('a')], preferred: [] },
    { required: [term('b')], preferred: [] },
  ),
});

const someBatch = fc.record({
  pods: fc.array(
    fc.record({
      pod: somePod,
      app: fc.constantFrom('a', 'b', 'c'),
      copies: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  hasMinValues: fc.boolean(),
  shape: fc.nat(),
  steps: fc.array(fc.record({ at: fc.nat(), most: fc.integer({ min: 1, max: 5 }) }), {
    maxLength: 12,
  }),
});

function open(hasMinValues: boolean, pods: readonly Pod[], shape: number) {
  const requirements = hasMinValues ? [spec('node.kubernetes.io/instance-type Exists', 2)] : [];
  const nodePools = [aNodePool({ template: { requirements } })];
  const parts = solverParts(aSnapshot({ nodePools, pods: [...pods] }));
  const [source] = parts.sources;
  const admission = source && parts.admissions.open(source);
  if (!admission || isRejection(admission)) throw new Error('expected a pool that gives nodes');
  const choices = [...admission.choices.values()];
  const choice = choices[shape % choices.length];
  if (!choice) throw new Error('expected a type');
  return { ...parts, draft: openDraft(admission, choice, undefined) };
}

const held = ({ counts, used, admission, shape }: NodeClaimDraft) => ({
  counts: [...counts].map(([{ sample }, count]) => [sample.meta.name, count]),
  used,
  types: [...admission.choices.keys()],
  usdPerHour: shape.usdPerHour,
});

describe('a filling', () => {
  it('takes whom joinDraft takes, one step after the other', () => {
    fc.assert(
      fc.property(someBatch, ({ pods: wishes, hasMinValues, shape, steps }) => {
        const pods = wishes.flatMap(({ pod, app: label, copies }, wish) =>
          Array.from({ length: copies }, (_, copy) =>
            aPod({ ...pod, meta: { name: `web-${wish}-${copy}`, labels: { app: label } } }),
          ),
        );
        const { draft, groups, axes, prices, admissions } = open(hasMinValues, pods, shape);
        const portions = groups.map((group) => ({
          group,
          asks: group.levels.at(-1)?.asks ?? [],
          left: group.pods.length,
        }));
        const filling = createFilling(draft, lineUp(portions, axes, prices), { admissions });
        let expected = draft;
        for (const { at, most } of steps) {
          const place = at % portions.length;
          const { group, asks } = portions[place] ?? { group: undefined, asks: [] };
          if (!group) continue;
          expected = joinDraft(expected, group, asks, { most, admissions }) ?? expected;
          joinFilling(filling, place, most);
        }

        expect(held(filledDraft(filling))).toEqual(held(expected));
      }),
      { numRuns: 300 },
    );
  });
});
