import { amountOf, type Resources, subtractResources } from '#lib/constraints/resources.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Choice } from '../admission.ts';
import type { Source, SourceType } from '../sources.ts';
import { type Allowance, allowanceOf, chargeIn, USD_OF_ALL } from './limits.ts';

/** What there is only so much of in one solve: what limits allow, and what reservations hold. */
export interface Ledger {
  /** What each NodePool's limits still allow, by name; absent: no limits. */
  readonly allowances: ReadonlyMap<string, Resources>;
  /** How many more instances each capacity reservation gives, by id. */
  readonly reservations: ReadonlyMap<string, number>;
}

/** The ledger before anything is planned. One reservation may be offered to several NodePools. */
export function openLedger(sources: readonly Source[], snapshot: Snapshot): Ledger {
  const allowances = new Map<string, Resources>();
  const reservations = new Map<string, number>();
  for (const { nodePool, name, types } of sources) {
    const allowance = allowanceOf(nodePool, snapshot);
    if (allowance) allowances.set(name, allowance);
    for (const { reservationId, reservationCapacity = 0 } of types.flatMap(offeringsOf)) {
      if (reservationId === undefined) continue;
      const known = reservations.get(reservationId) ?? Number.POSITIVE_INFINITY;
      reservations.set(reservationId, Math.min(known, reservationCapacity));
    }
  }
  return { allowances, reservations };
}

const offeringsOf = ({ offerings }: SourceType): SourceType['offerings'] => offerings;

/** What `nodePool` may still make. */
export const allowanceIn = (ledger: Ledger, { meta }: NodePool): Allowance =>
  ledger.allowances.get(meta.name);

/** The same; undefined also where it is enough for a node of any type of `source`. */
export function tightAllowanceIn(ledger: Ledger, source: Source): Allowance {
  const allowance = allowanceIn(ledger, source.nodePool);
  if (!allowance) return undefined;
  const charges = largestCharges.get(source) ?? new Map<string, number>();
  largestCharges.set(source, charges);
  for (const name in allowance) {
    const largest = charges.get(name) ?? largestCharge(name, source);
    charges.set(name, largest);
    if (largest > amountOf(allowance, name)) return allowance;
  }
  return undefined;
}

const largestCharges = new WeakMap<Source, Map<string, number>>();

const largestCharge = (name: string, { types }: Source): number =>
  types.reduce(
    (most, each) => Math.max(most, chargeIn(name, { sourceType: each, offerings: each.offerings })),
    0,
  );

/** What a NodeClaim of these choices takes of an allowance: as much as its largest and dearest. */
export function chargeOf(choices: readonly Choice[], allowance: Resources): Resources {
  const charge: Record<string, number> = {};
  for (const name in allowance) {
    for (const choice of choices)
      charge[name] = Math.max(charge[name] ?? 0, chargeIn(name, choice));
  }
  return charge;
}

/** The ledger when `times` NodeClaims have been planned that each take `charge`. */
export function charged(
  ledger: Ledger,
  nodePool: string,
  charge: Resources,
  times: number,
): Ledger {
  const allowance = ledger.allowances.get(nodePool);
  if (!allowance) return ledger;
  const taken = Object.fromEntries(
    Object.entries(charge).map(([name, amount]) => [name, amount * times]),
  );
  const left = subtractResources(allowance, taken);
  const allowances = new Map(ledger.allowances).set(nodePool, left);
  const usdOfAll = left[USD_OF_ALL];
  if (usdOfAll !== undefined) {
    // Every NodePool draws on it.
    for (const [name, other] of allowances) {
      allowances.set(name, { ...other, [USD_OF_ALL]: usdOfAll });
    }
  }
  return { ...ledger, allowances };
}

/** The ledger when `times` instances of a reservation have been planned. */
export function reserved(ledger: Ledger, reservationId: string, times: number): Ledger {
  const left = (ledger.reservations.get(reservationId) ?? 0) - times;
  return { ...ledger, reservations: new Map(ledger.reservations).set(reservationId, left) };
}
