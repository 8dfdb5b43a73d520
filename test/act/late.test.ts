import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { create } from '#lib/kube/write.ts';
import type { LaunchedInstance } from '#lib/model/launch.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { type ActingBench, anActingBench, refTo } from '#test/build/acting.ts';
import { BARRIER } from '#test/build/barriers.ts';
import { aNodeManifest } from '#test/build/small-cluster.ts';
import { asking } from '#test/build/wire-objects.ts';

type Kind = Action['kind'];

/**
 * Where it is shown, of each kind of action, that it does no harm when whoever decided on it was
 * frozen meanwhile, and the world has moved on: here, or in another test.
 */
const SHOWN: Readonly<Record<Kind, 'here' | `test/${string}`>> = {
  adoptInstance: 'here',
  bind: 'here',
  createNodeClaim: 'test/act/twice.test.ts',
  delete: 'here',
  deleteInstanceProfile: 'test/aws/instance-profile.test.ts',
  deleteLaunchTemplate: 'test/aws/node-class-remains.test.ts',
  ensureInstanceProfile: 'test/aws/instance-profile.test.ts',
  evict: 'here',
  forceDelete: 'here',
  launch: 'test/act/twice.test.ts',
  liftTaint: 'here',
  markUnavailable: 'test/kube/sold-out.test.ts',
  nominate: 'here',
  recordEvent: 'test/kube/record-event.test.ts',
  refreshMarket: 'test/act/refresh-market.test.ts',
  rememberMemory: 'test/act/refresh-market.test.ts',
  tagInstance: 'test/aws/instances.test.ts',
  terminateInstance: 'test/act/twice.test.ts',
  update: 'here',
  updateStatus: 'here',
};

async function aPod({ api }: ActingBench, name: string): Promise<void> {
  const spec = { containers: [asking('main', { cpu: '100m' })] };
  await api.through(create(api.kube, 'Pod', { metadata: { name }, spec }, 'default'));
}

const INSTANCE: LaunchedInstance = {
  id: 'i-0late',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  zoneId: 'use1-az1',
  capacityType: 'on-demand',
  imageId: 'ami-1',
};

const PODS = ['bound', 'evicted', 'forced', 'named'];
const CLAIMS = ['told', 'written', 'marked', 'deleted'];

/** Pods that wait, a Node that keeps them away, and NodeClaims that nothing was launched for. */
async function aWorld(): Promise<ActingBench> {
  const bench = anActingBench();
  bench.api.cluster.apply(aNodeManifest('node-a', { taints: [BARRIER] }));
  for (const name of PODS) await aPod(bench, name);
  await bench.act(CLAIMS.map((name) => bench.toCreate(name)));
  return bench;
}

/** An action of every kind that is done to an object somebody else may have changed or replaced. */
function planFor(bench: ActingBench): readonly Action[] {
  const node = refTo(bench, 'Node', 'node-a');
  const pod = (name: string) => refTo(bench, 'Pod', name, 'default');
  const claim = (name: string) => refTo(bench, 'NodeClaim', name);
  return [
    { kind: 'adoptInstance', claim: claim('told'), instance: INSTANCE },
    { kind: 'update', object: claim('marked'), meta: { annotations: { late: 'yes' } } },
    { kind: 'updateStatus', object: claim('written'), status: { nodeName: 'late' } },
    { kind: 'delete', object: claim('deleted'), because: 'Empty' },
    { kind: 'evict', pod: pod('evicted'), node, because: 'Empty' },
    { kind: 'forceDelete', pod: pod('forced'), graceSeconds: 1, because: 'its time is up' },
    { kind: 'nominate', pod: pod('named'), nodeName: 'node-a' },
    { kind: 'bind', node, pods: [pod('bound')], podsSeen: [] },
    { kind: 'liftTaint', node, taint: BARRIER, at: 0 },
  ];
}

const stateOf = ({ api }: ActingBench) =>
  ['Node', 'NodeClaim', 'Pod'].flatMap((kind) =>
    api.cluster.list(kind).map(({ metadata, spec, status }) => ({
      kind,
      metadata,
      spec,
      told: [Object(status).nodeName, Object(status).providerID, Object(status).nominatedNodeName],
    })),
  );

/** All of it is deleted and made again under the same names. */
async function replaceAll(bench: ActingBench): Promise<void> {
  const { cluster } = bench.api;
  const gone = [
    ['Node', '', 'node-a'] as const,
    ...PODS.map((name) => ['Pod', 'default', name] as const),
  ];
  for (const [kind, namespace, name] of gone) cluster.remove(kind, namespace, name);
  const claims = bench.claims(...CLAIMS).map(claimRef);
  await bench.act(claims.map((object) => ({ kind: 'delete', object, because: 'Empty' })));
  await bench.act(
    bench.claims(...CLAIMS).map((each) => ({
      kind: 'update',
      object: claimRef(each),
      meta: { finalizers: [] },
    })),
  );
  await bench.api.wait(120);
  cluster.apply(aNodeManifest('node-a', { taints: [BARRIER] }));
  for (const name of PODS) await aPod(bench, name);
  await bench.act(CLAIMS.map((name) => bench.toCreate(name)));
}

describe('a Plan of long ago', () => {
  it('is done as long as nobody has come between', async () => {
    const bench = await aWorld();
    const outcomes = await bench.act(planFor(bench));

    expect(outcomes.map(({ action, result }) => `${action.kind} ${result}`)).toEqual(
      planFor(await aWorld()).map(({ kind }) => `${kind} done`),
    );
  });

  it('touches nothing of what has taken the names of what it was about', async () => {
    const bench = await aWorld();
    const plan = planFor(bench);
    const old = stateOf(bench);
    await replaceAll(bench);
    const before = stateOf(bench);
    await bench.act(plan);

    const uids = new Set([...old, ...before].map(({ metadata }) => metadata.uid));
    expect(uids.size).toBe(2 * (1 + CLAIMS.length + PODS.length));
    expect(stateOf(bench)).toEqual(before);
  });

  it('has a test for each kind of action', async () => {
    const shown = Object.entries(SHOWN);
    const here = shown.flatMap(([kind, where]) => (where === 'here' ? [kind] : []));
    const elsewhere = shown.flatMap(([, where]) => (where === 'here' ? [] : [where]));
    const planned = planFor(await aWorld()).map(({ kind }) => kind);

    expect(planned.sort()).toEqual(here.sort());
    expect(elsewhere.filter((file) => !existsSync(file))).toEqual([]);
  });
});
