import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { takeLease } from '#lib/kube/lease.ts';
import type { Action, Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { formatInstant } from '#lib/model/time.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { type TurnStory, takeTurn } from '#lib/runtime/turn.ts';
import { decodeHint } from '#lib/triggers/hint.ts';
import type { WakeUp } from '#lib/triggers/wake-up.ts';
import { anApi } from '#test/build/api-bench.ts';
import { settings } from '#test/build/aws-callers.ts';
import { aWireNodePool } from '#test/build/wire-objects.ts';

const SCHEDULE: WakeUp = { kind: 'schedule' };
const LEFT = { getRemainingTimeInMillis: () => 60_000 };

const THROTTLED = Object.assign(new Error('slow down'), { name: 'RequestLimitExceeded' });

const planFor = ({ takenAt }: Snapshot, difference: Partial<Plan> = {}): Plan => ({
  decision: 'provision',
  takenAt: formatInstant(takenAt),
  nodeClaims: [],
  placements: [],
  commands: [],
  kept: [],
  refused: [],
  usdPerHour: 0,
  lowerBoundUsdPerHour: 0,
  actions: [],
  warnings: [],
  ...difference,
});

/** A turn over an embedded API server, the hints that it sends, and the snapshots it saw. */
function aBench(difference: Partial<TurnStory> = {}) {
  const api = anApi();
  const hints: { readonly delaySeconds: number; readonly sentAt: number }[] = [];
  const seen: Snapshot[] = [];
  const shell: Shell = {
    kube: api.kube,
    aws: typedCall(async (name, input) => {
      if (name === 'TerminateInstances') throw THROTTLED;
      const { MessageBody, DelaySeconds } = Object(input);
      const sentAt = decodeHint(String(MessageBody))?.sentAt ?? 0;
      if (name === 'SendMessage') hints.push({ delaySeconds: DelaySeconds, sentAt });
      return {};
    }),
    now: api.now,
    sleep: api.clock.sleep,
    events: createEventMemory(),
    settings: { cluster: settings, hintQueueUrl: 'https://queue', identity: 'me' },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const story: TurnStory = {
    name: 'provision',
    decide: (snapshot) => {
      seen.push(snapshot);
      return planFor(snapshot);
    },
    ...difference,
  };
  return {
    api,
    hints,
    seen,
    shell,
    take: (wakeUp = SCHEDULE, through = shell) =>
      api.through(takeTurn(through, story, wakeUp, LEFT)),
    holdLease: (identity: string) =>
      api.through(takeLease({ kube: api.kube, now: api.now }, identity)),
  };
}

const POOL_KIND = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool' } as const;

/** A decision that labels the NodePool `default` with the number of the look, `times` times. */
const labelling = (times: number) => {
  let looks = 0;
  return (snapshot: Snapshot): Plan => {
    const [pool] = snapshot.nodePools;
    looks += 1;
    if (pool === undefined || looks > times) return planFor(snapshot);
    const { name, uid, resourceVersion } = pool.meta;
    const object = { ...POOL_KIND, name, uid, resourceVersion };
    return planFor(snapshot, {
      actions: [{ kind: 'update', object, meta: { labels: { look: String(looks) } } }],
    });
  };
};

describe('a turn', () => {
  it('looks once and lets the Lease go where nothing is to be done', async () => {
    const bench = aBench();

    expect(await bench.take()).toMatchObject({ result: 'nothing to do' });
    expect(bench.seen).toHaveLength(1);
    expect(await bench.holdLease('another')).toMatchObject({ kind: 'ours' });
    expect(bench.hints).toEqual([]);
  });

  it('looks again at once after it did something, until nothing is left', async () => {
    const bench = aBench({ decide: labelling(3) });
    bench.api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });

    expect((await bench.take()).rounds).toHaveLength(4);
    expect(bench.api.cluster.get('NodePool', '', 'default')?.metadata.labels).toEqual({
      look: '3',
    });
  });

  it('leaves what it cannot finish within six looks to the next turn, by a hint', async () => {
    const bench = aBench({ decide: labelling(100) });
    bench.api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });

    expect((await bench.take()).rounds).toHaveLength(6);
    expect(bench.hints).toHaveLength(1);
  });

  it('asks for the look that its plan expects, once', async () => {
    const bench = aBench({
      decide: (snapshot) =>
        planFor(snapshot, { lookAgainAt: formatInstant(snapshot.takenAt + 20_000) }),
    });
    await bench.take();
    await bench.take();

    expect(bench.hints.map(({ delaySeconds }) => delaySeconds)).toEqual([20]);
  });

  it('leaves it to the plan when to try again what is in vain, and what waits for that', async () => {
    const claim = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      name: 'a',
      uid: 'uid-a',
      resourceVersion: '1',
    };
    const bench = aBench({
      decide: (snapshot) =>
        planFor(snapshot, {
          actions: [
            { kind: 'terminateInstance', instanceId: 'i-1', claim },
            { kind: 'updateStatus', object: claim, status: { nodeName: 'a' } },
          ],
          lookAgainAt: formatInstant(snapshot.takenAt + 20_000),
        }),
    });
    const { rounds } = await bench.take();

    expect(rounds[0]?.outcomes.map(({ result }) => result)).toEqual(['retry', 'retry']);
    expect(bench.hints.map(({ delaySeconds }) => delaySeconds)).toEqual([20]);
  });

  it('comes back soon where another holds the Lease, and looks at nothing', async () => {
    const bench = aBench();
    await bench.holdLease('another');

    expect(await bench.take()).toMatchObject({ result: 'held by another', rounds: [] });
    expect(bench.hints).toMatchObject([{ delaySeconds: 2 }]);
    expect(bench.seen).toEqual([]);
  });

  it('leaves one hint for all who find the Lease held, until it is due', async () => {
    const bench = aBench();
    await bench.holdLease('another');
    for (let times = 0; times < 3; times += 1) await bench.take();
    const [first] = bench.hints;

    expect(bench.hints).toHaveLength(1);
    expect(first?.sentAt).toBeGreaterThan(bench.api.now());

    await bench.api.wait(2);
    await bench.take();
    expect(bench.hints).toHaveLength(2);
  });

  it('keeps the Lease while it reads for longer than that lasts', async () => {
    const bench = aBench({ decide: labelling(1) });
    bench.api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });
    const rivals: string[] = [];
    const slow: Shell['kube'] = async (request) => {
      if (request.path.endsWith('/csinodes')) {
        await bench.api.clock.sleep(40_000);
        const ports = { kube: bench.api.kube, now: bench.api.now };
        rivals.push((await takeLease(ports, 'another')).kind);
      }
      return await bench.api.kube(request);
    };
    const report = await bench.take(SCHEDULE, { ...bench.shell, kube: slow });

    expect(rivals).toContain('held');
    expect(rivals).not.toContain('ours');
    expect(report.rounds[0]?.outcomes).toMatchObject([{ result: 'done' }]);
  });

  it('looks again while pods are still being told, and says nothing twice', async () => {
    const label = labelling(1);
    const about = {
      ...{ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p', uid: 'u' },
      resourceVersion: '1',
    };
    const bench = aBench({
      decide: (snapshot) => {
        const plan = label(snapshot);
        const news: Action = {
          kind: 'recordEvent',
          about,
          type: 'Normal',
          reason: 'R',
          message: 'm',
        };
        return { ...plan, actions: [...plan.actions, news] };
      },
    });
    bench.api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });
    const order: string[] = [];
    const slow: Shell['kube'] = async (request) => {
      if (request.method === 'POST' && request.path.endsWith('/events')) {
        await bench.api.clock.sleep(5_000);
        order.push('told');
      }
      if (request.path.endsWith('/nodepools')) order.push('looked');
      return await bench.api.kube(request);
    };
    const report = await bench.take(SCHEDULE, { ...bench.shell, kube: slow });

    expect(order).toEqual(['looked', 'looked', 'told']);
    expect(report.rounds.at(-1)?.outcomes.map(({ result }) => result)).toEqual(['done', 'done']);
  });

  it('lets the Lease go where it cannot look', async () => {
    const bench = aBench();
    const kube: Shell['kube'] = (request) =>
      request.path.endsWith('/nodes')
        ? Promise.resolve({ status: 500, body: { message: 'etcd is away' } })
        : bench.api.kube(request);

    await expect(bench.take(SCHEDULE, { ...bench.shell, kube })).rejects.toThrow('etcd is away');
    expect(await bench.holdLease('another')).toMatchObject({ kind: 'ours' });
  });

  it('drops a hint about what the last look has seen, and keeps one about what came since', async () => {
    const bench = aBench();
    const before = bench.api.now();
    await bench.take();
    const hint = (sentAt: number): WakeUp => ({
      kind: 'hints',
      hints: [{ kind: 'look', sentAt, because: 'test' }],
      unread: 0,
    });

    expect(await bench.take(hint(before - 1_000))).toMatchObject({ result: 'stale hint' });
    expect(await bench.take(hint(bench.api.now()))).toMatchObject({ result: 'nothing to do' });
  });

  it('looks and decides beside a living Karpenter, and refuses to act', async () => {
    const bench = aBench();
    bench.api.cluster.apply({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
      spec: {
        holderIdentity: 'karpenter-7d9f',
        leaseDurationSeconds: 15,
        renewTime: formatInstant(bench.api.now()).replace('Z', '.000000Z'),
      },
    });

    expect(await bench.take()).toMatchObject({ result: 'refused', rounds: [{ outcomes: [] }] });
    expect(bench.seen).toHaveLength(1);
  });

  it('does what needs no Lease without it, even while another holds it', async () => {
    const told = { instanceType: 'm5.large', images: 'abc', bytes: 1, seenAt: 0 };
    const remembering = (snapshot: Snapshot): Plan =>
      planFor(snapshot, { actions: [{ kind: 'rememberMemory', records: [told] }] });
    const bench = aBench({ looksFirst: true, decide: remembering });
    await bench.holdLease('another');

    expect(await bench.take()).toMatchObject({
      result: 'acted',
      rounds: [{ outcomes: [{ result: 'done' }] }],
    });
    expect(bench.api.cluster.get('ConfigMap', 'joinery', 'discovered-memory')).toMatchObject({
      data: { 'm5.large.abc': '1 1970-01-01T00:00:00Z' },
    });
    expect(bench.hints).toEqual([]);
  });

  it('does what needs no Lease once, and the rest with it', async () => {
    const told = { instanceType: 'm5.large', images: 'abc', bytes: 1, seenAt: 0 };
    const label = labelling(2);
    const bench = aBench({
      looksFirst: true,
      decide: (snapshot) => {
        const plan = label(snapshot);
        const remember = { kind: 'rememberMemory', records: [told] } as const;
        return { ...plan, actions: [remember, ...plan.actions] };
      },
    });
    bench.api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });
    const { rounds } = await bench.take();
    const done = rounds.flatMap(({ outcomes }) => outcomes.map(({ action }) => action.kind));

    expect(done).toEqual(['rememberMemory', 'update']);
  });

  it('says once, and without the Lease, what the next look would not say again', async () => {
    const label = labelling(1);
    let looks = 0;
    const bench = aBench({
      looksFirst: true,
      decide: (snapshot) => {
        looks += 1;
        const plan = label(snapshot);
        const [pool] = snapshot.nodePools;
        if (pool === undefined || looks > 1) return plan;
        const { name, uid, resourceVersion } = pool.meta;
        const about = { ...POOL_KIND, name, uid, resourceVersion };
        const told = { about, type: 'Warning', reason: 'SpotInterrupted', message: 'x' } as const;
        const event = { kind: 'recordEvent', ...told, needsNoLease: true } as const;
        return { ...plan, actions: [...plan.actions, event] };
      },
    });
    bench.api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });
    await bench.holdLease('another');

    expect(await bench.take()).toMatchObject({
      result: 'held by another',
      rounds: [{ outcomes: [{ action: { reason: 'SpotInterrupted' }, result: 'done' }] }],
    });
  });

  it('takes no Lease to find out that nothing is to be done, where it looks first', async () => {
    const bench = aBench({ looksFirst: true });
    await bench.holdLease('another');

    expect(await bench.take()).toMatchObject({ result: 'nothing to do' });
    expect(bench.hints).toEqual([]);
  });

  it('waits for the end of a burst of pods', async () => {
    const bench = aBench({ settles: true });
    const pod = (name: string) =>
      bench.api.cluster.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
    pod('a');
    bench.api.clock.after(700, () => pod('b'));
    bench.api.clock.after(1_500, () => pod('c'));
    await bench.take();

    expect(bench.seen[0]?.pods.map(({ meta }) => meta.name)).toEqual(['a', 'b', 'c']);
  });
});
