import type { World } from '#lib/sim/world.ts';
import { at, unreadyPools } from './cast.ts';

/** A manifest, and where it stands, for the case that it is refused. */
export interface Manifest {
  readonly where: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** The manifests that the embedded API server refused, each with where it stands and why. */
export class RefusedManifests extends Error {
  readonly refusals: readonly string[];

  constructor(refusals: readonly string[]) {
    super(refusals.join('\n'));
    this.name = 'RefusedManifests';
    this.refusals = refusals;
  }
}

/** What a person sets up before there is anything to run. */
const GROUNDWORK = ['Namespace', 'PriorityClass', 'StorageClass', 'EC2NodeClass', 'NodePool'];
/** A NodePool that is not ready after this long has something to say for itself. */
const SETUP_MS = 60_000;
/** What a reader takes to come to the next line; IAM needs some of it, too. */
const PAUSE_MS = 20_000;
/** So many objects are named when they are applied; more are counted. */
const NAMED = 6;

/** How a user applies `manifests`: groundwork first, workloads on demand. */
export function rehearse(world: World, manifests: readonly Manifest[]) {
  const { groundwork, workloads } = inOrder(manifests);
  return {
    setUp: async () => {
      apply(world, groundwork);
      await world.runUntil(() => unreadyPools(world).length === 0, SETUP_MS);
      await world.run(PAUSE_MS);
    },
    deploy: () => apply(world, workloads),
  };
}

/** What `world` has against each manifest, if anything, once they are applied to it in order. */
export function refusalsOf(
  world: World,
  manifests: readonly Manifest[],
): readonly { readonly manifest: Manifest; readonly because: string }[] {
  const { groundwork, workloads } = inOrder(manifests);
  return [...groundwork, ...workloads].flatMap((manifest) => {
    try {
      world.apply([manifest.object]);
      return [];
    } catch (error) {
      return [{ manifest, because: error instanceof Error ? error.message : String(error) }];
    }
  });
}

/** Tells the journal what the user does. */
export const noteOfUser = (world: World, text: string): void =>
  world.journal.note({ at: world.clock.now(), source: 'user', text });

function inOrder(manifests: readonly Manifest[]) {
  const isGroundwork = ({ object }: Manifest) => GROUNDWORK.includes(String(object.kind));
  return {
    groundwork: manifests.filter(isGroundwork),
    workloads: manifests.filter((manifest) => !isGroundwork(manifest)),
  };
}

function apply(world: World, manifests: readonly Manifest[]): void {
  const names = manifests.map(({ object }) => `${object.kind} ${at(object, 'metadata', 'name')}`);
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  noteOfUser(world, `applies ${names.slice(0, NAMED).join(', ')}${more}`);
  const refused = refusalsOf(world, manifests);
  if (refused.length === 0) return;
  throw new RefusedManifests(
    refused.map(({ manifest, because }) => `${manifest.where}: ${because}`),
  );
}
