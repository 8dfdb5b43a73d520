import { describe, expect, it } from 'vitest';
import { decodePod } from '#lib/kube/decode/decode-pod.ts';
import { create } from '#lib/kube/write.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import type { Action } from '#lib/model/plan.ts';
import { type ActingBench, anActingBench } from '#test/build/acting.ts';
import { BARRIER } from '#test/build/barriers.ts';
import { aNodeManifest, aPodManifest } from '#test/build/small-cluster.ts';
import { asking } from '#test/build/wire-objects.ts';

const OTHER = { key: 'other', value: '', effect: 'NoSchedule' } as const;

/** A Node behind the barrier, and the pod web that waits for it. */
async function waiting() {
  const bench = anActingBench();
  bench.api.cluster.apply(aNodeManifest('node-a', { taints: [OTHER, BARRIER] }));
  const spec = { containers: [asking('a', { cpu: '100m' })] };
  await bench.api.through(
    create(bench.api.kube, 'Pod', { metadata: { name: 'web' }, spec }, 'default'),
  );
  return { bench, node: refTo(bench, 'Node', '', 'node-a'), pod: podRef(bench) };
}

function refTo({ api }: ActingBench, kind: string, namespace: string, name: string): ObjectRef {
  const found = api.cluster.get(kind, namespace, name)?.metadata;
  if (found === undefined) throw new Error(`expected ${kind} ${name}, found none`);
  const { uid, resourceVersion } = found;
  const place = namespace === '' ? {} : { namespace };
  return { apiVersion: 'v1', kind, name, uid, resourceVersion, ...place };
}

const podRef = (bench: ActingBench) => refTo(bench, 'Pod', 'default', 'web');
const podOf = ({ api }: ActingBench) => decodePod(api.cluster.get('Pod', 'default', 'web'));
const taintsOf = ({ api }: ActingBench) =>
  (api.cluster.all('Node')[0]?.spec.taints ?? []).map(({ key }) => key);
const lift = (node: ObjectRef, at = 1): Action => ({ kind: 'liftTaint', node, taint: BARRIER, at });
const result = async (bench: ActingBench, ...actions: readonly Action[]) =>
  (await bench.act(actions)).map((outcome) => outcome.result);

describe('leading pods', () => {
  it('names a pod its node, so that it is known whose word that was, and takes it back', async () => {
    const { bench, pod } = await waiting();

    expect(await result(bench, { kind: 'nominate', pod, nodeName: 'node-a' })).toEqual(['done']);
    expect(podOf(bench)).toMatchObject({ nominatedNodeName: 'node-a', isNominatedByUs: true });
    expect(await result(bench, { kind: 'nominate', pod, nodeName: null })).toEqual(['done']);
    expect(podOf(bench)).not.toHaveProperty('nominatedNodeName');
  });

  it('knows a nomination of somebody else for what it is', async () => {
    const { bench } = await waiting();
    const path = '/api/v1/namespaces/default/pods/web/status';
    const contentType = 'application/merge-patch+json';
    const body = { status: { nominatedNodeName: 'node-a' } };
    await bench.api.through(bench.api.kube({ method: 'PATCH', path, contentType, body }));

    expect(podOf(bench)).not.toHaveProperty('isNominatedByUs');
  });

  it('lets a pod be that another has replaced, and one that is gone or bound', async () => {
    const { bench, pod, node } = await waiting();
    const other = { ...pod, uid: 'another' };

    expect(await result(bench, { kind: 'nominate', pod: other, nodeName: 'node-a' })).toEqual([
      'lost',
    ]);
    await result(bench, { kind: 'bind', node, pods: [pod], podsSeen: [] });
    expect(await result(bench, { kind: 'nominate', pod, nodeName: 'node-b' })).toEqual(['done']);
    const gone = { ...pod, name: 'gone' };
    expect(await result(bench, { kind: 'nominate', pod: gone, nodeName: 'x' })).toEqual(['done']);
  });

  it('binds pods while the node keeps the scheduler away, not where others have come', async () => {
    const { bench, pod, node } = await waiting();

    expect(await result(bench, { kind: 'bind', node, pods: [pod], podsSeen: ['x'] })).toEqual([
      'lost',
    ]);
    expect(podOf(bench)).not.toHaveProperty('nodeName');
    expect(await result(bench, { kind: 'bind', node, pods: [pod], podsSeen: [] })).toEqual([
      'done',
    ]);
    expect(podOf(bench)).toMatchObject({ nodeName: 'node-a' });
  });

  it('lifts its taint and no other, wherever it stands by now', async () => {
    const { bench, node } = await waiting();

    expect(await result(bench, lift(node, 0))).toEqual(['done']);
    expect(taintsOf(bench)).toEqual(['other', 'node.kubernetes.io/not-ready']);
    expect(await result(bench, lift(node))).toEqual(['done']);
    expect(await result(bench, lift({ ...node, name: 'gone' }))).toEqual(['done']);
  });

  it('lifts no taint before every pod was told where to go', async () => {
    const { bench, pod, node } = await waiting();
    bench.api.cluster.apply(aPodManifest('web-2', { containers: [asking('a', {})] }));
    const pods = [pod, refTo(bench, 'Pod', 'default', 'web-2')];
    const seen: string[] = [];
    bench.api.cluster.onChange(({ object }) => {
      const isNamed = object.kind === 'Pod' && decodePod(object).isNominatedByUs === true;
      if (isNamed || object.kind === 'Node') seen.push(object.kind);
    });
    await result(
      bench,
      lift(node),
      ...pods.map((each) => ({ kind: 'nominate' as const, pod: each, nodeName: 'node-a' })),
    );

    expect(seen).toEqual(['Pod', 'Pod', 'Node']);
  });

  it('names pods their nodes again that have lost them while others were named theirs', async () => {
    const { bench, node } = await waiting();
    const names = Array.from({ length: 60 }, (_, at) => `many-${at}`);
    for (const name of names) {
      bench.api.cluster.apply(aPodManifest(name, { containers: [asking('a', {})] }));
    }
    const pods = names.map((name) => refTo(bench, 'Pod', 'default', name));
    const namedAtRelease: (string | undefined)[] = [];
    bench.api.cluster.onChange(({ object }) => {
      if (object.kind !== 'Node') return;
      const first = decodePod(bench.api.cluster.get('Pod', 'default', 'many-0'));
      namedAtRelease.push(first.nominatedNodeName);
    });
    const takesOneBack: typeof bench.api.kube = async (request) => {
      const answer = await bench.api.kube(request);
      if (request.method === 'PATCH' && request.path.includes('/many-59/')) {
        const path = '/api/v1/namespaces/default/pods/many-0/status';
        const body = { status: { nominatedNodeName: null } };
        await bench.api.kube({ ...request, path, body });
      }
      return answer;
    };
    const actions = [
      ...pods.map((pod) => ({ kind: 'nominate' as const, pod, nodeName: 'node-a' })),
      lift(node),
    ];
    await bench.act(actions, {}, takesOneBack);

    expect(namedAtRelease).toEqual(['node-a']);
  });
});
