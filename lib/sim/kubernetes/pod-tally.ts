import { isActive, isReady } from './conditions.ts';
import { isPod, type Store } from './store.ts';
import type { KubeObject } from './wire.ts';
import { controllerUid } from './writer.ts';

/** Of a controller's pods: those that are neither finished nor leaving, and those of them up. */
export interface Tally {
  readonly active: number;
  readonly ready: number;
}

/** Counts pods by controller as they are written, so that nobody has to go through them all. */
export function createPodTally(store: Store): (uid: string) => Tally {
  const tallies = new Map<string, { active: number; ready: number }>();
  const count = (object: KubeObject | undefined, sign: 1 | -1): void => {
    if (object === undefined || !isPod(object) || !isActive(object)) return;
    const uid = controllerUid(object);
    if (uid === undefined) return;
    const tally = tallies.get(uid) ?? { active: 0, ready: 0 };
    tally.active += sign;
    if (isReady(object)) tally.ready += sign;
    tallies.set(uid, tally);
  };
  store.onChange(({ type, object, old }) => {
    count(old, -1);
    if (type !== 'deleted') count(object, 1);
  });
  return (uid) => tallies.get(uid) ?? { active: 0, ready: 0 };
}
