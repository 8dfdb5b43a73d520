import { describe, expect, it } from 'vitest';
import { wire } from '#lib/kube/decode/field.ts';
import { create } from '#lib/kube/write.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { type ActingBench, anActingBench, refTo } from '#test/build/acting.ts';
import { aLaunch } from '#test/build/aws-callers.ts';
import { asking } from '#test/build/wire-objects.ts';

const WORLD = ['NodeClaim', 'Node', 'Pod'] as const;

/** Everything that acting could have done twice; what only time changes is left out. */
const stateOf = ({ api, account }: ActingBench) => ({
  objects: WORLD.flatMap((kind) =>
    api.cluster.list(kind).map(({ metadata, spec, status }) => {
      const { uid, name, labels, annotations, finalizers, deletionTimestamp } = wire(metadata);
      const meta = { uid, name, labels, annotations, finalizers, deletionTimestamp };
      // Kubelets write the others' status, every few seconds.
      return { kind, meta, spec, told: kind === 'NodeClaim' ? status : undefined };
    }),
  ),
  machines: account.aws.machines().map(({ id, state }) => ({ id, state })),
});

async function aPodNamedWeb({ api }: ActingBench) {
  const spec = { containers: [asking('main', { cpu: '100m' })] };
  await api.through(create(api.kube, 'Pod', { metadata: { name: 'web' }, spec }, 'default'));
  await api.wait(60);
}

/** A node with a pod, an instance that is to go, and two NodeClaims that want one each. */
async function aBusyWorld() {
  const bench = anActingBench();
  bench.api.start();
  await bench.api.wait(300);
  await aPodNamedWeb(bench);

  await bench.act([bench.toCreate('leaving')]);
  const earlier = await aLaunch(bench.account, bench.claims('leaving'));
  await bench.act([{ kind: 'launch', launch: earlier }]);
  await bench.act([bench.toCreate('a', 2), bench.toCreate('b', 2)]);
  const launch = await aLaunch(bench.account, bench.claims('a', 'b'), 1);
  return { bench, launch };
}

/** One of every kind of action that does something to somebody. */
function planFor(bench: ActingBench, launch: Awaited<ReturnType<typeof aLaunch>>): Action[] {
  const [leaving] = bench.claims('leaving').map(claimRef);
  const [machine] = bench.account.aws.machines();
  const [nodeName = ''] = bench.api.cluster.list('Node').map(({ metadata }) => metadata.name);
  if (!leaving || !machine) throw new Error('expected a NodeClaim and its instance, found none');
  const node = refTo(bench, 'Node', nodeName);
  const pod = refTo(bench, 'Pod', 'web', 'default');
  return [
    bench.toCreate('c'),
    { kind: 'launch', launch },
    { kind: 'delete', object: leaving, because: 'Empty' },
    { kind: 'terminateInstance', instanceId: machine.id, claim: leaving },
    {
      kind: 'update',
      object: node,
      meta: { annotations: { note: 'x' } },
      taints: [{ key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' }],
    },
    { kind: 'evict', pod, node, because: 'Empty' },
  ];
}

describe('a Plan that is acted on twice', () => {
  it('does no more than once, and nothing to who has taken a name since', async () => {
    const { bench, launch } = await aBusyWorld();
    const actions = planFor(bench, launch);

    const first = await bench.act(actions);
    await bench.api.wait(120);
    expect(first.map(({ result }) => result)).toEqual(actions.map(() => 'done'));
    expect(bench.api.cluster.list('Pod')).toEqual([]);
    await aPodNamedWeb(bench);
    const once = stateOf(bench);

    await bench.act(actions);
    await bench.api.wait(120);
    expect(stateOf(bench)).toEqual(once);
    expect(once.machines.filter(({ state }) => state === 'running')).toHaveLength(2);
  });
});
