import type { World } from '#lib/sim/world.ts';

/** How many pods of a world are Ready. */
export const readyPods = (world: World): number =>
  world.kubernetes
    .list('Pod')
    .filter((pod) => JSON.stringify(pod).includes('"type":"Ready","status":"True"')).length;

/** The instances of a world's account that are coming up or run. */
export const livingInstances = (world: World) =>
  world.aws.machines().filter(({ state }) => state === 'pending' || state === 'running');
