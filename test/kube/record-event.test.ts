import { describe, expect, it } from 'vitest';
import { wire } from '#lib/kube/decode/field.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { listAll } from '#lib/kube/list.ts';
import { type NewEvent, recordEvent } from '#lib/kube/record-event.ts';
import { type ApiBench, anApi } from '#test/build/api-bench.ts';

const evicted: NewEvent = {
  about: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'uid-1' },
  type: 'Normal',
  reason: 'Evicted',
  message: 'Evicted pod: Drifted',
};

/** The ports of a process that has just begun. */
const anew = (api: ApiBench) => ({ ...api, events: createEventMemory() });

async function ours(api: ApiBench): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  await api.through(
    listAll(api.kube, { kind: 'Event' }, (event) => {
      if (wire(event).reportingController === 'joinery') events.push(event);
    }),
  );
  return events;
}

describe('recordEvent', () => {
  it('tells of an object in its namespace, and says that Joinery does', async () => {
    const api = anApi();
    await api.through(recordEvent(anew(api), evicted));

    expect(await ours(api)).toMatchObject([
      {
        metadata: { namespace: 'default' },
        regarding: { kind: 'Pod', name: 'web', uid: 'uid-1' },
        reason: 'Evicted',
        note: 'Evicted pod: Drifted',
        type: 'Normal',
      },
    ]);
  });

  it('tells of objects without a namespace in `default`', async () => {
    const api = anApi();
    const about = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'uid-2' };
    await api.through(recordEvent(anew(api), { ...evicted, about }));

    expect(await ours(api)).toMatchObject([{ metadata: { namespace: 'default' } }]);
  });

  it('is silent when the same was said less than two minutes ago', async () => {
    const api = anApi();
    await api.through(recordEvent(anew(api), evicted));
    await api.wait(60);
    await api.through(recordEvent(anew(api), evicted));

    expect(await ours(api)).toHaveLength(1);
    expect((await ours(api))[0]).not.toHaveProperty('series');
  });

  it('counts up what it says again later', async () => {
    const api = anApi();
    for (let time = 0; time < 3; time += 1) {
      await api.through(recordEvent(anew(api), evicted));
      await api.wait(150);
    }

    expect(await ours(api)).toMatchObject([{ series: { count: 3 } }]);
  });

  it('says something else of the same object in another event', async () => {
    const api = anApi();
    await api.through(recordEvent(anew(api), evicted));
    await api.through(recordEvent(anew(api), { ...evicted, message: 'Evicted pod: Empty' }));

    expect(await ours(api)).toHaveLength(2);
  });

  it('tells a pod where it should go once in two minutes, though it is another node by then', async () => {
    const api = anApi();
    const ports = anew(api);
    const nominated = (node: string) =>
      api.through(
        recordEvent(ports, {
          ...evicted,
          reason: 'Nominated',
          message: `Pod should schedule on: nodeclaim/${node}`,
        }),
      );
    await nominated('a');
    await api.wait(60);
    await nominated('b');
    expect(await ours(api)).toHaveLength(1);
    await api.wait(61);
    await nominated('b');

    expect(await ours(api)).toHaveLength(2);
  });

  it('asks nobody about what the same process has said or heard less than two minutes ago', async () => {
    const api = anApi();
    await api.through(recordEvent(anew(api), evicted));
    const asked: string[] = [];
    const ports = {
      ...anew(api),
      kube: (request: Parameters<ApiBench['kube']>[0]) => {
        asked.push(request.method);
        return api.kube(request);
      },
    };
    const again = () => api.through(recordEvent(ports, evicted));
    await again();
    expect(asked).toEqual(['POST', 'GET']);
    await again();
    expect(asked).toHaveLength(2);
    await api.through(api.clock.sleep(120_000));
    await again();

    expect(asked.slice(2)).toEqual(['POST', 'GET', 'PATCH']);
    expect(await ours(api)).toMatchObject([{ series: { count: 2 } }]);
  });
});
