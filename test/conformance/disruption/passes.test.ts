/**
 * Karpenter's behaviours of what comes between a proposal and its end, restated.
 * Source: karpenter v1.14, disruption/{emptiness,consolidation,suite}_test.go.
 */
import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { certifyConsolidation } from '#lib/disruption/consolidation/certify.ts';
import type { BufferTarget } from '#lib/model/capacity-buffer.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aCapacityBuffer } from '#test/build/capacity-buffers.ts';
import { playedBetween } from '#test/build/command-world.ts';
import { deletedIn } from '#test/build/drifted-nodes.ts';
import { aCluster, aFreePool, aMember, mover } from '#test/build/members.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNamespacedMeta, GIB } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';
import { someSettings } from '#test/build/snapshots.ts';

const freely = { disruption: { budgets: [{ nodes: '100%' }] } };
const anIdleCluster = (difference: Partial<Snapshot> = {}): Snapshot =>
  quietWorld({
    nodePools: [aNodePool(freely)],
    nodes: [aMember('a'), aMember('b')],
    ...difference,
  });

/** Where a pod lands on one of the nodes while a command waits to be looked at again. */
const landing = (on: string) => (snapshot: Snapshot, second: number) =>
  second < 5
    ? snapshot
    : {
        ...snapshot,
        nodes: snapshot.nodes.map((state) =>
          state.name === on ? { ...state, pods: [aRunningPod({ nodeName: on })] } : state,
        ),
      };

/** Two nodes with a pod each, which a third can hold. */
const aMerge = (difference: Parameters<typeof aMember>[1] = {}) =>
  aCluster(
    [
      aMember('a', { pods: [mover('on-a', 100)] }),
      aMember('b', { pods: [mover('on-b', 100)], ...difference }),
      aMember('c', { pods: [mover('on-c', 100)] }),
    ],
    { nodePools: [aFreePool()] },
  );
const validated = (snapshot: Snapshot, nominated: readonly string[] = []) =>
  certifyConsolidation(
    snapshot.nodes.filter(({ name }) => name !== 'c'),
    {
      snapshot,
      nominated: new Set(nominated),
      inFlight: inFlightOf(snapshot),
      toPlace: { pods: [], promised: new Map(), expected: new Map() },
    },
  );

describe('what happens before a command is carried out', () => {
  it('19: of two empty nodes that one stays on which a pod lands, and the other goes', () => {
    expect(deletedIn(playedBetween(0, 30, anIdleCluster(), landing('a')).snapshot)).toEqual(['b']);
    expect(deletedIn(playedBetween(0, 30, anIdleCluster()).snapshot)).toEqual(['a', 'b']);
  });

  it('20: of several nodes none goes if one may not go any more', () => {
    const guard = { 'karpenter.sh/do-not-disrupt': 'true' };
    const pods = [mover('on-b', 100, { meta: { annotations: guard } })];

    expect(validated(aMerge())).toMatchObject({ podsMoved: 2 });
    expect(validated(aMerge({ pods }))).toMatchObject({ by: 'do-not-disrupt' });
  });

  it('24: a node that was promised to a pending pod stays', () => {
    expect(validated(aMerge(), ['b'])).toMatchObject({ by: 'nominated' });
  });

  it('119: an empty node stays as long as a CapacityBuffer keeps room on it, others go', () => {
    const template = aPod({ meta: { name: 'template' }, requests: { cpu: 3000, memory: GIB } });
    const target: BufferTarget = {
      kind: 'PodTemplate',
      meta: aNamespacedMeta('spare'),
      replicas: 1,
      pod: template,
    };
    const withBuffer = (replicas: number) =>
      anIdleCluster({
        settings: someSettings({ featureGates: ['CapacityBuffer'] }),
        bufferTargets: [target],
        capacityBuffers: [aCapacityBuffer({ podTemplate: 'spare', replicas })],
      });

    const kept = decideConsolidate(withBuffer(1)).kept.map(({ because }) => because);
    expect(kept).toEqual([expect.stringMatching(/^Node "[ab]" has buffer pods$/)]);
    expect(decideProvision(withBuffer(1)).buffers).toMatchObject([{ onNodes: 1 }]);
    expect(deletedIn(playedBetween(0, 30, withBuffer(1)).snapshot)).toHaveLength(1);
    expect(deletedIn(playedBetween(0, 30, withBuffer(0)).snapshot)).toHaveLength(2);
  });
});
