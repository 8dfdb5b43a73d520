import { describe, expect, it } from 'vitest';
import { wire } from '#lib/kube/decode/field.ts';
import { listAll } from '#lib/kube/list.ts';
import { create } from '#lib/kube/write.ts';
import type { Action } from '#lib/model/plan.ts';
import { type ActingBench, anActingBench, refTo } from '#test/build/acting.ts';
import { asking } from '#test/build/wire-objects.ts';

const labels = { app: 'web' };

/** A pod that runs on a node, and both as they were seen. */
async function aRunningPod() {
  const bench = anActingBench();
  const { api } = bench;
  api.start();
  const spec = { containers: [asking('a', { cpu: '100m' })] };
  await api.through(
    create(api.kube, 'Pod', { metadata: { name: 'web', labels }, spec }, 'default'),
  );
  await api.wait(300);
  return bench;
}

/** A PodDisruptionBudget that lets no pod go. */
async function protect({ api }: ActingBench, name: string) {
  const spec = { minAvailable: 1, selector: { matchLabels: labels } };
  await api.through(
    create(api.kube, 'PodDisruptionBudget', { metadata: { name }, spec }, 'default'),
  );
  await api.wait(10);
}

function toEvict(bench: ActingBench): Action {
  const [node] = bench.api.cluster.list('Node');
  if (node === undefined) throw new Error('expected a Node, found none');
  return {
    kind: 'evict',
    pod: refTo(bench, 'Pod', 'web', 'default'),
    node: refTo(bench, 'Node', String(node.metadata.name)),
    because: 'Drifted',
  };
}

async function eventsOf(bench: ActingBench) {
  const told: string[] = [];
  await bench.api.through(
    listAll(bench.api.kube, { kind: 'Event' }, (event) => {
      const { reportingController, type, reason, note, regarding } = wire(event);
      if (reportingController === 'joinery')
        told.push(`${type} ${wire(regarding).kind} ${reason}: ${note}`);
    }),
  );
  return told;
}

describe('evictPod', () => {
  it('151: evicts the pod, and tells so on it', async () => {
    const bench = await aRunningPod();

    expect(await bench.act([toEvict(bench)])).toMatchObject([{ result: 'done' }]);
    expect(
      bench.api.cluster.get('Pod', 'default', 'web')?.metadata.deletionTimestamp,
    ).toBeDefined();
    expect(await eventsOf(bench)).toEqual(['Normal Pod Evicted: Evicted pod: Drifted']);
  });

  it('151, 155: comes back where a PodDisruptionBudget forbids it, and tells so on the node', async () => {
    const bench = await aRunningPod();
    await protect(bench, 'all');

    expect(await bench.act([toEvict(bench)])).toMatchObject([{ result: 'retry' }]);
    expect(await eventsOf(bench)).toEqual([
      'Warning Node FailedDraining: Failed to drain node, evicting pod violates a PDB',
    ]);
  });

  it('155: goes on when the PodDisruptionBudget lets it', async () => {
    const bench = await aRunningPod();
    await protect(bench, 'all');
    expect(await bench.act([toEvict(bench)])).toMatchObject([{ result: 'retry' }]);
    bench.api.cluster.remove('PodDisruptionBudget', 'default', 'all');
    await bench.api.wait(10);

    expect(await bench.act([toEvict(bench)])).toMatchObject([{ result: 'done' }]);
  });

  it('151: fails where two PodDisruptionBudgets select the pod, and tells so on the node', async () => {
    const bench = await aRunningPod();
    await protect(bench, 'one');
    await protect(bench, 'two');

    expect(await bench.act([toEvict(bench)])).toMatchObject([{ result: 'failed' }]);
    expect(await eventsOf(bench)).toEqual([
      'Warning Node FailedDraining: Failed to drain node, eviction does not support multiple PDBs',
    ]);
  });

  it('152: does not evict another pod of the same name', async () => {
    const bench = await aRunningPod();
    const action = toEvict(bench);
    if (action.kind !== 'evict') throw new Error('expected an eviction');
    const [outcome] = await bench.act([{ ...action, pod: { ...action.pod, uid: 'another' } }]);

    expect(outcome).toMatchObject({ result: 'lost' });
    expect(bench.api.cluster.get('Pod', 'default', 'web')?.metadata.deletionTimestamp).toBe(
      undefined,
    );
  });

  it('151: takes a pod that is gone for evicted, and tells nothing', async () => {
    const bench = await aRunningPod();
    const action = toEvict(bench);
    bench.api.cluster.remove('Pod', 'default', 'web');
    await bench.api.wait(60);

    expect(await bench.act([action])).toMatchObject([{ result: 'done' }]);
    expect(await eventsOf(bench)).toEqual([]);
  });
});

describe('forceDeletePod', () => {
  it('deletes a pod that a budget protects, with the grace that is left', async () => {
    const bench = await aRunningPod();
    await protect(bench, 'all');
    const pod = refTo(bench, 'Pod', 'web', 'default');
    const [outcome] = await bench.act([
      { kind: 'forceDelete', pod, graceSeconds: 7, because: 'its node must be empty' },
    ]);

    expect(outcome).toMatchObject({ result: 'done' });
    expect(
      bench.api.cluster.get('Pod', 'default', 'web')?.metadata.deletionGracePeriodSeconds,
    ).toBe(7);
    expect(await eventsOf(bench)).toEqual([
      'Normal Pod Disrupted: Disrupted pod: its node must be empty',
    ]);
  });
});
