import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { type SetStage, setStage } from '#lib/cli/stories/stage.ts';
import { livingInstances } from './what-runs.ts';

/** Story 1 up to where its five pods were asked for; the rest is the test's. */
export interface InflateWorld {
  readonly stage: SetStage;
  readonly world: SetStage['world'];
  readonly pass: (ms: number) => Promise<void>;
  /** How often each call was made since the last time this was asked. */
  readonly callsSince: () => Readonly<Record<string, number>>;
  /** Waits until all five pods run on nodes that have one living instance and one NodeClaim each. */
  readonly untilSound: (withinMs: number) => Promise<boolean>;
  readonly livingIds: () => readonly string[];
}

/** Story 1, to be disturbed; `change` makes other manifests of the story's own. */
export async function anInflateWorld(
  change: (object: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> = (
    object,
  ) => object,
): Promise<InflateWorld> {
  const manifests = manifestsOf(inflate).map(({ where, object }) => ({
    where,
    object: change(object),
  }));
  const stage = setStage({ seed: 1, region: inflate.region, manifests });
  const { world } = stage;
  await stage.setUp();
  stage.deploy();
  stage.scale('inflate', 5);
  let before = world.calls();
  const livingIds = (): readonly string[] =>
    livingInstances(world)
      .map(({ id }) => id)
      .sort();
  const idsOf = (kind: string, path: 'spec' | 'status'): readonly string[] =>
    world.kubernetes
      .list(kind)
      .map(
        (object) =>
          String(Object(Object(object)[path]).providerID)
            .split('/')
            .at(-1) ?? '',
      )
      .sort();
  const isSound = (): boolean => {
    const living = livingIds().join();
    return (
      stage.pods('inflate').filter(({ ready }) => ready).length === 5 &&
      living === idsOf('NodeClaim', 'status').join() &&
      living === idsOf('Node', 'spec').join()
    );
  };
  return {
    stage,
    world,
    pass: stage.pass,
    livingIds,
    callsSince: () => {
      const now = world.calls();
      const since = Object.entries(now).map(([name, times]) => [name, times - (before[name] ?? 0)]);
      before = now;
      return Object.fromEntries(since);
    },
    untilSound: (withinMs) => world.runUntil(isSound, withinMs),
  };
}
