import { type Admissions, admissionsFor } from '../admission.ts';
import { hasRoom } from '../amounts.ts';
import type { Ledger } from '../opening/ledger.ts';
import type { Ask } from '../pods/ask.ts';
import { mostPerNode, type PodGroup } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';

/** What weights have to do with a solve. */
export interface WeighingContext {
  /** Heaviest first. */
  readonly sources: readonly Source[];
  readonly admissions: Admissions;
  /** Before anything is planned. */
  readonly ledger: Ledger;
}

/**
 * The sources in which some pod of `groups` may open a node when heavier NodePools go first. A pod
 * passes a heavier one only where that cannot take it, limits may stop it or minValues may fail it;
 * where rules of topology have a say, or volumes or host ports, anything is thought possible. Onto
 * nodes of the other sources nobody comes at all, not even beside others.
 *
 * Cost: where weights differ, groups × sources × instance types, once for each way to ask.
 */
export function sourcesInPlay(
  groups: readonly PodGroup[],
  context: WeighingContext,
): readonly Source[] {
  const { sources } = context;
  const heaviest = sources[0]?.nodePool.weight;
  if (sources.every(({ nodePool }) => nodePool.weight === heaviest)) return sources;
  const least = groups.reduce(
    (lighter, group) => Math.min(lighter, lightestFor(group, context)),
    Number.POSITIVE_INFINITY,
  );
  return sources.filter(({ nodePool }) => nodePool.weight >= least);
}

/** The least weight of a NodePool that a pod of the group may open a node of. */
function lightestFor(group: PodGroup, context: WeighingContext): number {
  if (!isPlain(group)) return Number.NEGATIVE_INFINITY;
  return group.levels.reduce(
    (lighter, { asks }) => Math.min(lighter, lightestWith(group, asks, context)),
    Number.POSITIVE_INFINITY,
  );
}

const isPlain = (group: PodGroup): boolean =>
  group.standing.byNode.length === 0 &&
  group.standing.byDomain.length === 0 &&
  group.attachments.key === '' &&
  mostPerNode(group) === Number.POSITIVE_INFINITY;

/** The same while it asks like this: the weight of the first that is sure to take it. */
function lightestWith(
  group: PodGroup,
  asks: readonly Ask[],
  { sources, admissions, ledger }: WeighingContext,
): number {
  let isAnywhere = false;
  for (const source of sources) {
    const found = admissionsFor(source, asks, admissions);
    if (found.length === 0) continue;
    isAnywhere = true;
    const isBounded = source.hasMinValues || ledger.allowances.has(source.name);
    const isSure = found.some((admission) =>
      [...admission.choices.values()].some(
        ({ sourceType, offerings }) =>
          hasRoom(sourceType.roomAmounts, [], group.amounts) &&
          offerings.some(({ capacityType }) => capacityType !== 'reserved'),
      ),
    );
    if (isSure && !isBounded) return source.nodePool.weight;
  }
  return isAnywhere ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
