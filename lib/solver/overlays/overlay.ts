import { compareText } from '#lib/constraints/order.ts';
import {
  agrees,
  intersectRequirements,
  isCompatible,
  type Requirements,
  requirementsOf,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import { amountOf, type Resources } from '#lib/constraints/resources.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE } from '#lib/model/labels.ts';
import type { NodeOverlay } from '#lib/model/node-overlay.ts';
import { isServed, type NodePool } from '#lib/model/node-pool.ts';
import { isOpen } from '#lib/model/settings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { nodeOverlayProblems } from '#lib/model/validation/node-overlay-validation.ts';
import { changesPrice, overlaidPrice } from './overlay-price.ts';

/** Why a NodeOverlay is not heeded, as its condition ValidationSucceeded says it. */
interface OverlayProblem {
  readonly reason: 'Conflict' | 'RuntimeValidation';
  readonly message: string;
}

/** A NodeOverlay that was looked at, and what is wrong with it, if anything is. */
interface JudgedOverlay {
  readonly overlay: NodeOverlay;
  readonly problem?: OverlayProblem;
}

/** A Snapshot whose catalogue is what NodeOverlays make of it. */
export interface Overlaid {
  readonly snapshot: Snapshot;
  /** Heaviest first, then by name from z to a; empty where the gate is closed. */
  readonly judged: readonly JudgedOverlay[];
}

/**
 * The Snapshot with its NodeOverlays applied to what each NodePool can buy: prices of the offerings
 * and extended resources of the types that an overlay is about. The heaviest that says something of
 * an offering's price, or of a resource, has the say; lighter ones fill in what is not said. Two of
 * one weight that say something of the same are in conflict: the first, by name from z to a, stays.
 *
 * Cost: overlays × NodePools × offerings.
 * Source: karpenter v1.14, nodeoverlay/controller.go and store.go.
 */
export function overlaid(snapshot: Snapshot): Overlaid {
  const { settings, nodeOverlays, nodePools, catalog } = snapshot;
  if (nodeOverlays.length === 0 || !isOpen(settings, 'NodeOverlay')) {
    return { snapshot, judged: [] };
  }
  const pools = nodePools
    .filter(({ template }) => isServed(template.nodeClassRef))
    .map((pool) => bookOf(pool, catalog));
  const judged = [...nodeOverlays].sort(heaviestFirst).map((overlay): JudgedOverlay => {
    const problem = problemOf(overlay, pools);
    if (problem) return { overlay, problem };
    for (const touched of touchesOf(overlay, pools)) write(touched, overlay);
    return { overlay };
  });
  const byNodePool = new Map(
    pools.flatMap(({ name, pages }) =>
      pages.some(isWritten) ? [[name, pages.map(overlaidType)] as const] : [],
    ),
  );
  return { snapshot: { ...snapshot, catalog: { ...catalog, byNodePool } }, judged };
}

const heaviestFirst = (a: NodeOverlay, b: NodeOverlay): number =>
  b.weight - a.weight || compareText(b.meta.name, a.meta.name);

/** What has been said so far of one type in one NodePool. */
interface Page {
  readonly type: InstanceType;
  /** Everything that a node of this type in this NodePool is known to be. */
  readonly labels: Requirements;
  readonly prices: Map<Offering, NodeOverlay>;
  readonly capacity: Map<string, NodeOverlay>;
  /** By offering or resource: the weight of the last overlay that said something of it. */
  readonly weights: Map<Offering | string, number>;
}

interface Book {
  readonly name: string;
  readonly pages: readonly Page[];
}

function bookOf({ meta, template }: NodePool, { byNodeClass }: Catalog): Book {
  const ofPool = requirementsOfLabels({ ...template.labels, [NODEPOOL]: meta.name });
  const types = byNodeClass.get(template.nodeClassRef.name) ?? [];
  const pages = types.map(
    (type): Page => ({
      type,
      labels: intersectRequirements(
        requirementsOfLabels({ [INSTANCE_TYPE]: type.name }),
        intersectRequirements(type.requirements, ofPool),
      ),
      prices: new Map(),
      capacity: new Map(),
      weights: new Map(),
    }),
  );
  return { name: meta.name, pages };
}

/** A page that an overlay is about, and which of its offerings. */
interface Touched {
  readonly page: Page;
  readonly offerings: readonly Offering[];
}

const NO_KEYS: ReadonlySet<string> = new Set();

function touchesOf(overlay: NodeOverlay, books: readonly Book[]): readonly Touched[] {
  const asked = requirementsOf(overlay.requirements);
  return books
    .flatMap(({ pages }) => pages)
    .filter(({ labels }) => isCompatible(labels, asked, NO_KEYS))
    .map((page) => ({
      page,
      offerings: page.type.offerings.filter((each) => agrees(labelsOf(each), asked)),
    }))
    .filter(({ offerings }) => offerings.length > 0);
}

/** Files may leave out of an offering's labels what follows from the offering itself. */
const labelsOf = ({ requirements, zone, capacityType }: Offering): Requirements =>
  requirements.has(ZONE) && requirements.has(CAPACITY_TYPE)
    ? requirements
    : intersectRequirements(
        requirements,
        requirementsOfLabels({ [ZONE]: zone, [CAPACITY_TYPE]: capacityType }),
      );

/** What an overlay says something of: the prices of some offerings, and resources. */
const subjectsOf = (overlay: NodeOverlay, offerings: readonly Offering[]) => [
  ...(changesPrice(overlay) ? offerings : []),
  ...Object.keys(overlay.capacity),
];

function problemOf(overlay: NodeOverlay, books: readonly Book[]): OverlayProblem | undefined {
  const problems = nodeOverlayProblems(overlay);
  if (problems.length > 0) return { reason: 'RuntimeValidation', message: problems.join('; ') };
  const isTaken = touchesOf(overlay, books).some(({ page, offerings }) =>
    subjectsOf(overlay, offerings).some((subject) => page.weights.get(subject) === overlay.weight),
  );
  return isTaken ? { reason: 'Conflict', message: 'conflict with another overlay' } : undefined;
}

function write({ page, offerings }: Touched, overlay: NodeOverlay): void {
  for (const subject of subjectsOf(overlay, offerings)) {
    page.weights.set(subject, overlay.weight);
    if (typeof subject === 'string') {
      if (!page.capacity.has(subject)) page.capacity.set(subject, overlay);
    } else if (!page.prices.has(subject)) page.prices.set(subject, overlay);
  }
}

const isWritten = ({ weights }: Page): boolean => weights.size > 0;

function overlaidType({ type, prices, capacity }: Page): InstanceType {
  const offerings =
    prices.size === 0
      ? type.offerings
      : type.offerings.map((each) => repriced(each, prices)).sort(cheapestFirst);
  if (capacity.size === 0) return prices.size === 0 ? type : { ...type, offerings };
  const added = Object.fromEntries(
    [...capacity].map(([name, overlay]) => [name, amountOf(overlay.capacity, name)]),
  );
  return {
    ...type,
    offerings,
    capacity: { ...type.capacity, ...added },
    allocatable: allocatableWith(type, added),
    hasOverlaidCapacity: true,
  };
}

function repriced(offering: Offering, prices: Page['prices']): Offering {
  const overlay = prices.get(offering);
  if (!overlay) return offering;
  const usdPerHour = overlaidPrice(offering.usdPerHour, overlay);
  return { ...offering, usdPerHour, hasOverlaidPrice: true };
}

const cheapestFirst = (a: Offering, b: Offering): number =>
  a.usdPerHour - b.usdPerHour ||
  compareText(a.zone, b.zone) ||
  compareText(a.capacityType, b.capacityType) ||
  compareText(a.reservationId ?? '', b.reservationId ?? '');

/** Huge pages come out of memory. Source: karpenter v1.14, cloudprovider/types.go, Allocatable. */
function allocatableWith(type: InstanceType, added: Resources): Resources {
  const allocatable: Record<string, number> = { ...type.allocatable };
  for (const [name, amount] of Object.entries(added)) {
    allocatable[name] = Math.max(0, amount - amountOf(type.overhead, name));
    if (!name.startsWith('hugepages-')) continue;
    const more = amount - amountOf(type.capacity, name);
    allocatable.memory = Math.max(0, amountOf(allocatable, 'memory') - more);
  }
  return allocatable;
}
