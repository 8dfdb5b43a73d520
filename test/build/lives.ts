import { advance } from '#lib/lifecycle/advance.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { Condition } from '#lib/model/object.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { quietWorld } from './quiet-world.ts';

/** What a look at a Snapshot wants done to one object, and what is said about it. */
export interface Wanted {
  readonly kinds: readonly Action['kind'][];
  readonly update?: Extract<Action, { kind: 'update' }>;
  readonly status?: Extract<Action, { kind: 'updateStatus' }>['status'];
  readonly events: readonly string[];
  readonly condition: (type: string) => Condition | undefined;
}

/** What `advance` wants of the object called `name`. */
export function wantedOf(snapshot: Snapshot, name: string): Wanted {
  const actions = advance(snapshot).actions.filter((action) => aboutOf(action).includes(name));
  const update = actions.find((action) => action.kind === 'update');
  const status = actions.find((action) => action.kind === 'updateStatus')?.status;
  return {
    kinds: actions.map(({ kind }) => kind).filter((kind) => kind !== 'recordEvent'),
    events: actions.flatMap((action) =>
      action.kind === 'recordEvent' ? [`${action.reason}: ${action.message}`] : [],
    ),
    condition: (type) => conditionOf(status?.conditions ?? [], type),
    ...(update ? { update } : {}),
    ...(status ? { status } : {}),
  };
}

function aboutOf(action: Action): readonly string[] {
  switch (action.kind) {
    case 'update':
    case 'updateStatus':
    case 'delete':
      return [action.object.name];
    case 'recordEvent':
      return [action.about.name];
    case 'launch':
      return action.launch.claims.map(({ name }) => name);
    case 'adoptInstance':
    case 'tagInstance':
      return [action.claim.name];
    case 'terminateInstance':
      return [action.claim?.name ?? action.instanceId];
    case 'evict':
    case 'forceDelete':
      return [action.pod.name];
    default:
      return [];
  }
}

/** A Snapshot in which NodePools and NodeClasses want nothing, whatever its nodes want. */
export function aSettledSnapshot(difference: Partial<Snapshot> = {}): Snapshot {
  const { nodePools, nodeClasses } = quietWorld();
  return { ...quietWorld(), nodePools, nodeClasses, ...difference };
}
