import { describe, expect, it } from 'vitest';
import { decideGroup, launchGroupsOf, mayLeave } from '#lib/lifecycle/launch/launch-groups.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { formatInstant } from '#lib/model/time.ts';
import { anInstance } from '#test/build/instances.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aCondition } from '#test/build/node-pools.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const GROUP = { 'joinery.dev/launch-group': 'g/2' };
const FINALIZERS = ['karpenter.sh/termination'];

const member = (name: string, difference: Partial<NodeClaim['meta']> = {}): NodeClaim =>
  aNewClaim({ meta: { name, annotations: GROUP, finalizers: FINALIZERS, ...difference } });

const launched = (name: string, id: string, at = NOON): NodeClaim =>
  aNodeClaim({
    meta: { name, annotations: GROUP },
    status: {
      providerId: `aws:///us-east-1a/${id}`,
      conditions: [aCondition('Launched', { changedAt: at })],
    },
  });

const withoutCapacity = (
  name: string,
  difference: Partial<NodeClaim['meta']> & { readonly failedAt?: number } = {},
): NodeClaim => {
  const { failedAt = NOON - 5 * SECOND, ...meta } = difference;
  const annotations = { ...GROUP, 'joinery.dev/launch-failed-at': formatInstant(failedAt) };
  return aNewClaim({
    meta: { name, annotations, finalizers: FINALIZERS, ...meta },
    status: {
      conditions: [aCondition('Launched', { status: 'Unknown', reason: 'InsufficientCapacity' })],
    },
  });
};

const stray = (id: string) => anInstance({ id, tags: { 'joinery.dev/launch-group': 'g' } });

function groupIn(claims: readonly NodeClaim[], difference: Partial<Snapshot> = {}) {
  const around = surroundingsOf(
    aSnapshot({ nodes: claims.map(anInFlightNode), instances: [], ...difference }),
  );
  const [group] = launchGroupsOf(around);
  if (!group) throw new Error('expected a group, found none');
  return { group, around, decision: decideGroup(group, around) };
}

describe('a launch group', () => {
  it('is launched by one call when all its members are there', () => {
    const { decision } = groupIn([member('c-1'), member('c-2')]);

    expect(decision).toMatchObject({
      kind: 'launch',
      attempt: 0,
      claims: [{ meta: { name: 'c-1' } }, { meta: { name: 'c-2' } }],
    });
  });

  it('is launched by another call when an attempt came to nothing, even if only one member knows', () => {
    const annotations = { ...GROUP, 'joinery.dev/launch-attempt': '2' };
    const { decision } = groupIn([member('c-1', { annotations }), member('c-2')]);

    expect(decision).toMatchObject({ kind: 'launch', attempt: 2 });
  });

  it.each([
    ['two seconds', 1 * SECOND, 1 * SECOND, 1 * SECOND],
    ['as long as it was tried for', 30 * SECOND, 10 * SECOND, 20 * SECOND],
    ['a minute at the most', 4 * MINUTE, 10 * SECOND, 50 * SECOND],
  ])('is left alone for %s after a launch that failed', (_time, ageAtFailure, since, forMs) => {
    const failedAt = NOON - since;
    const annotations = { ...GROUP, 'joinery.dev/launch-failed-at': formatInstant(failedAt) };
    const tried = member('c-1', { annotations, createdAt: failedAt - ageAtFailure });
    const claims = [tried, member('c-2')];

    expect(groupIn(claims).decision).toEqual({ kind: 'wait', forMs });
    expect(groupIn(claims, { takenAt: NOON + forMs }).decision).toMatchObject({ kind: 'launch' });
  });

  it('is made anew when its creation was cut off', () => {
    const { decision } = groupIn([member('c-1')]);

    expect(decision).toMatchObject({ kind: 'regroup', groups: [[{ meta: { name: 'c-1' } }]] });
  });

  it('is left alone while a NodeClaim that cannot be read may be the missing member', () => {
    const object = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'c-2' };
    const leftOut = [{ object, field: 'spec', problem: 'is no object' }];

    expect(groupIn([member('c-1')], { leftOut }).decision).toEqual({ kind: 'wait' });
  });

  it('waits for the finalizer, without which a NodeClaim could vanish while it is launched', () => {
    const { decision } = groupIn([member('c-1'), member('c-2', { finalizers: [] })]);

    expect(decision).toEqual({ kind: 'wait' });
  });

  it('is split when its members do not ask for the same', () => {
    const other = aNewClaim({
      meta: { name: 'c-2', annotations: GROUP, finalizers: FINALIZERS },
      spec: { requests: { 'vpc.amazonaws.com/efa': 1, pods: 1 } },
    });

    expect(groupIn([member('c-1'), other]).decision).toMatchObject({
      kind: 'regroup',
      groups: [[{ meta: { name: 'c-1' } }], [{ meta: { name: 'c-2' } }]],
    });
  });

  it('holds together what asks for different amounts of the same', () => {
    const { requests } = member('c-1').spec;
    const larger = aNewClaim({
      meta: { name: 'c-2', annotations: GROUP, finalizers: FINALIZERS },
      spec: { requests: Object.fromEntries(Object.keys(requests).map((name) => [name, 7])) },
    });

    expect(groupIn([member('c-1'), larger]).decision).toMatchObject({ kind: 'launch' });
  });

  it('hands out the instances that are seen, sorted, to its members, sorted', () => {
    const { decision } = groupIn([member('c-2'), member('c-1')], {
      instances: [stray('i-02'), stray('i-01')],
    });

    expect(decision).toMatchObject({
      kind: 'adopt',
      pairs: [
        { claim: { meta: { name: 'c-1' } }, instance: { id: 'i-01' } },
        { claim: { meta: { name: 'c-2' } }, instance: { id: 'i-02' } },
      ],
    });
  });

  it('gives an instance to a member that is being deleted only when nobody else wants it', () => {
    const claims = [member('c-1', { deletedAt: NOON }), member('c-2')];

    expect(groupIn(claims, { instances: [stray('i-01')] }).decision).toMatchObject({
      pairs: [{ claim: { meta: { name: 'c-2' } } }],
    });
  });

  it('does not hand out an instance that is shutting down, nor one that a NodeClaim has', () => {
    const instances = [{ ...stray('i-01'), state: 'shutting-down' as const }, stray('i-02')];
    const { decision } = groupIn([launched('c-1', 'i-02'), member('c-2')], { instances });

    expect(decision).toEqual({ kind: 'wait' });
  });

  it.each([
    ['a member was launched', launched('c-1', 'i-01', NOON - 59 * SECOND)],
    ['a member is being deleted', member('c-1', { deletedAt: NOON - 59 * SECOND })],
    ['a member found no capacity', withoutCapacity('c-1', { failedAt: NOON - 59 * SECOND })],
  ])('waits for instances that may not be seen yet when %s', (_when, other) => {
    expect(groupIn([other, member('c-2')]).decision).toEqual({ kind: 'wait' });
  });

  it.each([
    ['was launched', launched('c-1', 'i-01', NOON - MINUTE)],
    ['was deleted', member('c-1', { deletedAt: NOON - MINUTE })],
    ['found no capacity', withoutCapacity('c-1', { failedAt: NOON - MINUTE })],
  ])('launches the rest anew a minute after a member %s and nothing was seen', (_what, other) => {
    expect(groupIn([other, member('c-2')]).decision).toMatchObject({
      kind: 'regroup',
      groups: [[{ meta: { name: 'c-2' } }]],
    });
  });

  it('is launched although a member still bears the condition of a group that found no capacity', () => {
    const claims = [withoutCapacity('c-1', { annotations: GROUP }), member('c-2')];

    expect(groupIn(claims).decision).toMatchObject({ kind: 'launch' });
  });

  it('concludes nothing from instances that nobody asked for', () => {
    const nodes = [launched('c-1', 'i-01', NOON - MINUTE), member('c-2')].map(anInFlightNode);
    const around = surroundingsOf(aSnapshot({ nodes }));
    const [group] = launchGroupsOf(around);

    expect(group && decideGroup(group, around)).toEqual({ kind: 'wait' });
  });
});

describe('mayLeave', () => {
  const leaves = (claims: readonly NodeClaim[], difference: Partial<Snapshot> = {}): boolean => {
    const { group, around } = groupIn(claims, difference);
    return mayLeave(group, around);
  };
  const deletedAt = (secondsAgo: number) => ({ deletedAt: NOON - secondsAgo * SECOND });

  it('keeps a member whose instance may be on its way', () => {
    expect(leaves([member('c-1', deletedAt(59)), member('c-2', deletedAt(10))])).toBe(false);
  });

  it('lets members go when no instance was seen for a minute', () => {
    expect(leaves([member('c-1', deletedAt(60)), member('c-2', deletedAt(10))])).toBe(true);
  });

  it('lets members go at once when EC2 said that there is no capacity for them', () => {
    expect(
      leaves([withoutCapacity('c-1', deletedAt(0)), withoutCapacity('c-2', deletedAt(0))]),
    ).toBe(true);
  });

  it('keeps a member, whatever its state, while another is still to be launched', () => {
    expect(leaves([withoutCapacity('c-1', deletedAt(60)), member('c-2')])).toBe(false);
    expect(leaves([launched('c-1', 'i-01', NOON - MINUTE), member('c-2')])).toBe(false);
  });

  it('keeps members while an instance of theirs belongs to nobody', () => {
    const claims = [member('c-1', deletedAt(90)), member('c-2', deletedAt(90))];

    expect(leaves(claims, { instances: [stray('i-01')] })).toBe(false);
  });

  it('lets a member go whose group was never whole, so never launched', () => {
    expect(leaves([member('c-1', deletedAt(0))])).toBe(true);
  });
});
