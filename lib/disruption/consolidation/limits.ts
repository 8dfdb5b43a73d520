import { amountOf, subtractResources } from '#lib/constraints/resources.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { allowanceOf, allows, chargeFor } from '#lib/solver/opening/limits.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import type { Blocked } from '../candidates.ts';
import { type PricedType, pricedTypes, restrictClaim } from './certain-price.ts';

/**
 * The claims listing only types that limits leave room for beside every node there is: replacements
 * are made before anything goes. Upstream finds out when it makes them, gives up, and tries again.
 *
 * Source: karpenter v1.14, provisioning/provisioner.go, Create.
 */
export function withinLimits(
  claims: readonly SealedClaim[],
  snapshot: Snapshot,
): readonly SealedClaim[] | Blocked {
  const taken = new Map<string, ReturnType<typeof allowanceOf>>();
  const kept: SealedClaim[] = [];
  for (const claim of claims) {
    const { nodePool, name } = claim.source;
    const allowance = taken.has(name) ? taken.get(name) : allowanceOf(nodePool, snapshot);
    if (allowance === undefined) {
      taken.set(name, undefined);
      kept.push(claim);
      continue;
    }
    const overdrawn = Object.keys(allowance).some((key) => amountOf(allowance, key) < 0);
    const restricted = overdrawn
      ? BEYOND(name)
      : restrictClaim(claim, (type) => allows(allowance, choiceOf(type)));
    if ('by' in restricted) return BEYOND(name);
    kept.push(restricted);
    const largest = pricedTypes(restricted)
      .map((type) => chargeFor(choiceOf(type), allowance))
      .reduce((most, charge) =>
        Object.fromEntries(
          Object.keys(allowance).map((key) => [
            key,
            Math.max(amountOf(most, key), amountOf(charge, key)),
          ]),
        ),
      );
    taken.set(name, subtractResources(allowance, largest));
  }
  return kept;
}

const BEYOND = (pool: string): Blocked => ({
  by: 'limits',
  because: `the limits of NodePool "${pool}" leave no room for a replacement beside the nodes there are`,
});

const choiceOf = ({ sourceType, offerings }: PricedType) => ({
  sourceType,
  offerings,
  usdPerHour: offerings[0]?.usdPerHour ?? 0,
});
