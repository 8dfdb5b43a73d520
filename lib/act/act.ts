import type { Action, Outcome } from '#lib/model/plan.ts';
import { type DoingPorts, doAction } from './do-action.ts';
import { type ActLimits, type ActPorts, limited } from './ports.ts';
import { type Result, resultOf } from './result.ts';
import { createVersions } from './versions.ts';

/** Actions that are under way at once: enough to hide latency, few enough to be polite. */
const AT_ONCE = 10;

/**
 * Does the actions of a Plan and says of each what became of it, in the Plan's order. Actions on
 * one object are done in that order, and those after one that came to nothing are left for later;
 * all others run side by side. Before each call it is asked for time and leave: what there was none
 * for comes back as retry. Never throws for what the world refuses.
 */
export async function act(
  ports: ActPorts,
  actions: readonly Action[],
  limits: ActLimits,
): Promise<readonly Outcome[]> {
  const doing: DoingPorts = { ...limited(ports, limits), versions: createVersions() };
  const turns = createTurns(AT_ONCE);
  const lastOn = new Map<string, Promise<Result>>();
  const results = actions.map((action) => {
    const keys = objectsOf(action);
    const before = keys.flatMap((key) => lastOn.get(key) ?? []);
    const result = inOrder(before, () => turns(() => attempt(doing, action)));
    if (action.kind !== 'recordEvent') for (const key of keys) lastOn.set(key, result);
    return result.then((found): Outcome => ({ action, ...found }));
  });
  return await Promise.all(results);
}

/** Runs `next` when all that was before it is done; not at all where that came to nothing. */
async function inOrder(
  before: readonly Promise<Result>[],
  next: () => Promise<Result>,
): Promise<Result> {
  for (const { result } of await Promise.all(before)) {
    if (result === 'done') continue;
    return { result: 'retry', because: 'an earlier action on the same object came to nothing' };
  }
  return await next();
}

async function attempt(ports: DoingPorts, action: Action): Promise<Result> {
  try {
    return await doAction(ports, action);
  } catch (error) {
    return resultOf(error, ports);
  }
}

/** The objects that an action must not overtake another on: by uid, a new claim by its name. */
export function objectsOf(action: Action): readonly string[] {
  switch (action.kind) {
    case 'createNodeClaim':
      return [`NodeClaim ${action.claim.name}`];
    case 'launch':
      return action.launch.claims.map(({ uid }) => uid);
    case 'adoptInstance':
    case 'tagInstance':
      return [action.claim.uid];
    case 'terminateInstance':
      return [action.claim?.uid ?? action.instanceId];
    case 'update':
    case 'updateStatus':
    case 'delete':
      return [action.object.uid];
    case 'evict':
    case 'forceDelete':
      return [action.pod.uid];
    case 'ensureInstanceProfile':
    case 'deleteInstanceProfile':
      return [action.nodeClass.uid];
    case 'deleteLaunchTemplate':
      return [`LaunchTemplate ${action.name}`];
    case 'refreshMarket':
    case 'rememberMemory':
      return [action.kind];
    case 'recordEvent':
      return [action.about.uid];
  }
}

/** Lets at most `limit` tasks run at once; the others wait in line. */
function createTurns(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
