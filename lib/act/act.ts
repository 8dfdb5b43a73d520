import type { Action, Outcome } from '#lib/model/plan.ts';
import { type DoingPorts, doAction } from './do-action.ts';
import { nominateLost } from './lead.ts';
import { type ActLimits, type ActPorts, limited } from './ports.ts';
import { type Result, resultOf } from './result.ts';
import { createVersions } from './versions.ts';

/** Actions that are under way at once: enough to hide latency, few enough to be polite. */
const AT_ONCE = 10;
/** Pods that are named a node lose it at their next failed attempt: there is no time to lose. */
const LED_AT_ONCE = 50;
/** Every millisecond between the first taint that goes and the last costs pods their place. */
const LIFTED_AT_ONCE = 500;

/**
 * Does the actions of a Plan and says of each what became of it, in the Plan's order. Actions on
 * one object are done in that order, and those after one that came to nothing are left for later;
 * all others run side by side, but for taints that are
 * lifted: they wait until every nomination and binding has been tried. Before each call it is asked for time and leave: what there was none
 * for comes back as retry. Never throws for what the world refuses.
 */
export async function act(
  ports: ActPorts,
  actions: readonly Action[],
  limits: ActLimits,
): Promise<readonly Outcome[]> {
  const doing: DoingPorts = { ...limited(ports, limits), versions: createVersions() };
  const turnsOf = createLanes();
  const lastOn = new Map<string, Promise<Result>>();
  const leading: Promise<Result>[] = [];
  let led: Promise<void> | undefined;
  const whenLed = (): Promise<void> => {
    led ??= Promise.all(leading).then(() => nominateLost(doing, actions));
    return led;
  };
  const results = actions.map((action) => {
    const keys = objectsOf(action);
    const before = keys.flatMap((key) => lastOn.get(key) ?? []);
    const result = inOrder(before, async () => {
      if (action.kind === 'liftTaint') await whenLed();
      return await turnsOf(action)(() => attempt(doing, action));
    });
    if (leads(action)) leading.push(result);
    if (action.kind !== 'recordEvent') for (const key of keys) lastOn.set(key, result);
    return result.then((found): Outcome => ({ action, ...found }));
  });
  return await Promise.all(results);
}

const leads = ({ kind }: Action): boolean => kind === 'nominate' || kind === 'bind';

/** Whom an action stands in line with. */
function createLanes(): (action: Action) => Turns {
  const usual = createTurns(AT_ONCE);
  const led = createTurns(LED_AT_ONCE);
  const lifted = createTurns(LIFTED_AT_ONCE);
  return (action) => {
    if (action.kind === 'liftTaint') return lifted;
    return leads(action) ? led : usual;
  };
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
    case 'nominate':
      return [action.pod.uid];
    case 'bind':
      return action.pods.map(({ uid }) => uid);
    case 'liftTaint':
      return [action.node.uid];
    case 'ensureInstanceProfile':
    case 'deleteInstanceProfile':
      return [action.nodeClass.uid];
    case 'deleteLaunchTemplate':
      return [`LaunchTemplate ${action.name}`];
    case 'refreshMarket':
    case 'rememberMemory':
    case 'markUnavailable':
      return [action.kind];
    case 'recordEvent':
      return [action.about.uid];
  }
}

type Turns = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets at most `limit` tasks run at once; the others wait in line. */
function createTurns(limit: number): Turns {
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
