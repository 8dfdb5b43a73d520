import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SnapshotKind } from '#lib/kube/decode/decode.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { create } from '#lib/kube/write.ts';
import { readKinds } from '#lib/observe/warm-objects.ts';
import { type RealWorld, realWorld } from '../stack/real-world.ts';

const KINDS: readonly SnapshotKind[] = ['PriorityClass', 'StorageClass', 'NodePool'];

let world: RealWorld;
beforeAll(async () => {
  world = await realWorld({ isQuiet: true });
});
afterAll(() => world?.end());

/** Looks at a few kinds through one transport, always by watch where they were read before. */
function looking() {
  const asked: string[] = [];
  const kube: KubeTransport = (request) => {
    const { path, query = {} } = request;
    const how = query.watch ? 'watched' : query.limit === '1' ? 'asked how far' : 'listed';
    asked.push(`${path.split('/').at(-1)} ${how}`);
    return world.cluster.transport(request);
  };
  const ifMissing = (error: unknown) => {
    throw error;
  };
  const look = async () => {
    asked.length = 0;
    const kinds = KINDS.map((kind) => ({ kind, ifMissing }));
    const { objects } = await readKinds(kube, kinds, () => -1);
    return objects.priorityClasses.map(({ meta }) => meta.name).sort();
  };
  return { look, asked };
}

it('a real API server proves by events and by bookmarks that a watch has seen the present', async () => {
  const { look, asked } = looking();
  const before = await look();
  const name = `watched-${Date.now()}`;
  await create(world.cluster.transport, 'PriorityClass', { metadata: { name }, value: 1 });
  const after = await look();

  expect(after).toEqual([...before, name].sort());
  expect([...asked].sort()).toEqual(
    ['nodepools', 'priorityclasses', 'storageclasses'].flatMap((kind) => [
      `${kind} asked how far`,
      `${kind} watched`,
    ]),
  );
});
