import { expect, it } from 'vitest';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { crdTexts } from '#lib/cli/crds.ts';
import { connectEmbedded } from '#lib/cli/embedded.ts';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { machineTypes } from '#lib/cli/stories/machine-types.ts';
import { identityOf } from '#lib/kube/decode/decode.ts';
import { createWorld, type World } from '#lib/sim/world.ts';
import { MINUTE } from '#test/build/objects.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Story 1's world in a cluster that asked for everything, with its NodePool changed and more in it. */
function aWorld(poolSpec: Wire, more: readonly Wire[]): World {
  const table = embeddedTable('us-east-1');
  if (!table) throw new Error('expected the table of us-east-1, found none');
  const world = createWorld({
    seed: 1,
    start: Date.UTC(2026, 10, 20, 12),
    region: 'us-east-1',
    types: machineTypes(table),
    crds: crdTexts(),
    clusterName: 'demo',
    connect: (ports) => {
      const gates = { featureGates: ['CapacityBuffer', 'NodeOverlay', 'StaticCapacity'] };
      return connectEmbedded({ ...ports, cluster: { ...ports.cluster, ...gates } });
    },
  });
  const manifests = manifestsOf(inflate).map(({ object }) =>
    identityOf(object).kind === 'NodePool'
      ? { ...object, spec: { ...Object(Object(object).spec), ...poolSpec } }
      : object,
  );
  world.apply([...manifests, ...more]);
  return world;
}
const count = (world: World, kind: string): number => world.kubernetes.list(kind).length;
const fieldsOf = (object: unknown, part: string): Wire => Object(Object(object)[part]);
const conditionsOf = (world: World, kind: string): readonly string[] =>
  world.kubernetes
    .list(kind)
    .flatMap((object) => Object.values(Object(fieldsOf(object, 'status').conditions)))
    .map((each) => `${fieldsOf({ each }, 'each').type}=${fieldsOf({ each }, 'each').status}`);

it('a static NodePool gets its nodes, gets back the one that is lost, and gives up what is too much', async () => {
  const world = aWorld({ replicas: 3, limits: { nodes: 5 } }, []);
  const nodes = () => count(world, 'Node');
  expect(await world.runUntil(() => nodes() === 3, 5 * MINUTE)).toBe(true);
  await world.run(3 * MINUTE);
  expect([nodes(), count(world, 'NodeClaim')]).toEqual([3, 3]);

  const [lost] = world.aws.machines();
  world.aws.terminate(lost?.id ?? '');
  expect(await world.runUntil(() => nodes() === 2, 5 * MINUTE)).toBe(true);
  expect(await world.runUntil(() => nodes() === 3, 5 * MINUTE)).toBe(true);

  const [pool] = world.kubernetes.list('NodePool');
  world.apply([{ ...Object(pool), spec: { ...fieldsOf(pool, 'spec'), replicas: 1 } }]);
  expect(await world.runUntil(() => nodes() === 1, 8 * MINUTE)).toBe(true);
  await world.run(2 * MINUTE);
  expect([nodes(), count(world, 'NodeClaim')]).toEqual([1, 1]);
});

it('a CapacityBuffer has its room, which pods take at once and which is then made again', async () => {
  const buffer = {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name: 'room', namespace: 'default' },
    spec: { scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'inflate' }, replicas: 2 },
  };
  const world = aWorld({}, [buffer]);
  const fits = () => conditionsOf(world, 'CapacityBuffer').includes('Provisioning=True');
  const hasRoom = () => fits() && count(world, 'Node') > 0;
  expect(await world.runUntil(hasRoom, 5 * MINUTE)).toBe(true);
  await world.run(2 * MINUTE);
  const before = count(world, 'Node');
  await world.run(5 * MINUTE);
  expect([count(world, 'Node'), fits()]).toEqual([before, true]);

  world.scale({ kind: 'Deployment', name: 'inflate' }, 2);
  const running = () =>
    world.kubernetes.list('Pod').filter((pod) => fieldsOf(pod, 'status').phase === 'Running')
      .length;
  expect(await world.runUntil(() => running() === 2, 20_000)).toBe(true);
  expect(await world.runUntil(() => count(world, 'Node') > before && fits(), 5 * MINUTE)).toBe(
    true,
  );
});
