import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { createAdmissions } from '#lib/solver/admission.ts';
import { axesOf } from '#lib/solver/amounts.ts';
import { holdersOf, joinDraft, type NodeClaimDraft, openDraft } from '#lib/solver/opening/draft.ts';
import { groupPods, type PodGroup } from '#lib/solver/pods/pod-groups.ts';
import { sourcesOf } from '#lib/solver/sources.ts';
import { ruleBookOf } from '#lib/solver/topology/rules.ts';
import { spec } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const AXES = axesOf([{ cpu: 1, memory: 1, pods: 1 }]);
const admissions = createAdmissions();

/** An empty draft of this shape. */
function aDraft(shape = 'm5.xlarge', snapshot = aSnapshot()): NodeClaimDraft {
  const [source] = sourcesOf(snapshot, AXES).sources;
  const open = source && admissions.open(source);
  if (!open || isRejection(open)) throw new Error('expected a pool that gives nodes');
  const choice = open.choices.get(shape);
  if (!choice) throw new Error(`expected ${shape} to be for sale`);
  return openDraft(open, choice, undefined);
}

function aGroup(difference: Parameters<typeof aPod>[0] = {}): PodGroup {
  const [group] = groupPods([aPod(difference)], {
    axes: AXES,
    preferencePolicy: 'Respect',
    someTaintsArePreferences: false,
    standingOf: ruleBookOf({ batch: [], running: [], namespaces: [] }).standingOf,
  });
  if (!group) throw new Error('expected a group');
  return group;
}

const join = (draft: NodeClaimDraft, group: PodGroup, most = 1) =>
  joinDraft(draft, group, group.levels[0]?.asks ?? [], { most, admissions });
const typesOf = (draft: NodeClaimDraft | undefined) =>
  draft && holdersOf(draft).map(({ sourceType }) => sourceType.type.name);

describe('joinDraft', () => {
  it('takes as many pods as its shape holds, and no more', () => {
    const group = aGroup({ requests: { cpu: 900, memory: GIB } });

    expect(join(aDraft('m5.xlarge'), group, 9)?.counts.get(group)).toBe(4);
  });

  it('is held by every type that has room, larger or smaller than its shape', () => {
    const joined = join(aDraft('m5.xlarge'), aGroup({ requests: { cpu: 1500 } }));

    expect(typesOf(joined)).toEqual(['m5.2xlarge', 'm5.4xlarge', 'm5.large', 'm5.xlarge']);
  });

  it('does not let a pod make it dearer', () => {
    const onDemandOnly = aGroup({ nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } });

    expect(join(aDraft(), onDemandOnly)).toBeUndefined();
  });

  it('does not take a label that one pod wants absent for one that the pool knows', () => {
    const absent = aGroup({
      nodeAffinity: {
        required: [{ matchExpressions: [spec('team NotIn b')], hasMatchFields: false }],
        preferred: [],
      },
    });
    const joined = join(aDraft(), absent);

    expect(joined).toBeDefined();
    expect(joined && join(joined, aGroup({ nodeSelector: { team: 'a' } }))).toBeUndefined();
  });

  it('holds pods of one host port once', () => {
    const group = aGroup({ hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' }] });
    const joined = join(aDraft(), group, 5);

    expect(joined?.counts.get(group)).toBe(1);
    expect(joined && join(joined, group)).toBeUndefined();
  });

  it('stops where fewer types than minValues would be left', () => {
    const minTypes = aNodePool({
      template: { requirements: [spec('node.kubernetes.io/instance-type Exists', 3)] },
    });
    const draft = aDraft('m5.4xlarge', aSnapshot({ nodePools: [minTypes] }));
    const group = aGroup({ requests: { cpu: 1000 } });

    // The three largest types hold four cpu each at least.
    expect(join(draft, group, 16)?.counts.get(group)).toBe(4);
  });

  it('never widens what it may become', () => {
    const cpus = fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 12 });

    fc.assert(
      fc.property(cpus, (millicores) => {
        let draft = aDraft('m5.4xlarge');
        for (const cpu of millicores) {
          const joined = join(draft, aGroup({ requests: { cpu } }));
          if (!joined) continue;
          expect(typesOf(draft)).toEqual(expect.arrayContaining(typesOf(joined) ?? []));
          draft = joined;
        }
      }),
    );
  });
});
