import { describe, expect, it } from 'vitest';
import type { CallFate } from '#lib/sim/call-faults.ts';
import { aDeployment, aSmallCluster } from '#test/build/small-cluster.ts';

const GET = { method: 'GET', path: '/api/v1/namespaces/default/configmaps' } as const;
const POST = { ...GET, method: 'POST', body: { metadata: { name: 'm' } } } as const;

describe('the transport', () => {
  it('takes a few milliseconds and counts calls by actor and name', async () => {
    const world = aSmallCluster();
    const call = world.cluster.transport('provision');
    const answers = [call(GET), call(POST), call({ ...GET, path: `${GET.path}/m` }), call(GET)];
    await world.wait(1);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 201, 200, 200]);
    expect(Object.fromEntries(world.cluster.calls().get('provision') ?? [])).toEqual({
      'list configmaps': 2,
      'create configmaps': 1,
      'get configmaps': 1,
    });
  });

  it.each([
    ['never', 0],
    ['lost', 1],
    ['pass', 1],
  ] as const)('lets a fault decide: %s', async (fate: CallFate, stored: number) => {
    const seen: string[] = [];
    const faults = {
      on: (call: { actor: string; seam: string; name: string }) => {
        seen.push(`${call.actor} ${call.seam} ${call.name}`);
        return fate;
      },
    };
    const world = aSmallCluster({ faults });
    let answered = false;
    void world.cluster
      .transport('provision')(POST)
      .then(() => {
        answered = true;
      });
    await world.wait(5);
    expect(seen).toEqual(['provision kube create configmaps']);
    expect(world.cluster.list('ConfigMap')).toHaveLength(stored);
    expect(answered).toBe(fate === 'pass');
  });

  it('takes a body as it was when it was sent, and hands out what nobody can change', async () => {
    const world = aSmallCluster();
    const body = { metadata: { name: 'm' }, data: { a: '1' } };
    const answer = world.cluster.transport('x')({ ...POST, body });
    body.data.a = '2';
    await world.wait(1);
    const { body: stored } = (await answer) as { body: { data: Record<string, string> } };
    expect(stored.data).toEqual({ a: '1' });
    expect(() => {
      stored.data.a = '3';
    }).toThrow();
  });
});

describe('an embedded cluster', () => {
  const play = async (seed: number) => {
    const world = aSmallCluster({}, seed);
    world.cluster.apply(aDeployment('web', 30, { cpu: '400m' }));
    for (let started = 0; started < 8; started += 1) world.start();
    await world.wait(120);
    const kinds = ['Node', 'Pod', 'ReplicaSet', 'Event'];
    return JSON.stringify([kinds.map(world.cluster.list), world.journal.entries]);
  };

  it('plays the same from the same seed, to the byte, and another from another', async () => {
    const [first, second, other] = [await play(1), await play(1), await play(2)];
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });
});
