import { compareText } from '#lib/constraints/order.ts';
import { describeRequirement } from '#lib/constraints/requirement.ts';
import {
  agrees,
  describeRequirements,
  incompatibility,
  intersectRequirements,
  type Requirements,
} from '#lib/constraints/requirements.ts';
import { WELL_KNOWN } from '#lib/model/labels.ts';

/**
 * What a pod, or whoever `who` says, asks for and a NodePool's template cannot give, or undefined where they agree.
 *
 * Example: it asks for karpenter.sh/capacity-type In [spot], the pool gives
 * karpenter.sh/capacity-type In [on-demand]
 */
export function describeMismatch(
  pool: Requirements,
  asked: Requirements,
  who = 'it asks for',
): string | undefined {
  const problems = [...asked.values()]
    .sort((a, b) => compareText(a.key, b.key))
    .flatMap((requirement) => {
      const one: Requirements = new Map([[requirement.key, requirement]]);
      const problem = incompatibility(pool, one, WELL_KNOWN);
      if (problem === undefined) return [];
      const given = pool.get(requirement.key);
      const { minValues: _, ...rest } = given ?? requirement;
      const wanted = `${who} ${describeRequirement(requirement)}`;
      return given
        ? [`${wanted}, the pool gives ${describeRequirement(rest)}`]
        : [`${wanted}, a label that the pool does not give its nodes${hintIn(problem)}`];
    });
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** The "typo of" part of an incompatibility's text, if it has one. */
const hintIn = (problem: string): string => /\s\(typo of [^)]*\)/.exec(problem)?.[0] ?? '';

/**
 * Which demand no type meets: one by itself, or all together. `which` says whose types they are.
 *
 * Example: no instance type that is sold here has topology.kubernetes.io/zone In [us-west-2a]
 */
export function describeMissingTypes(
  types: readonly { readonly requirements: Requirements }[],
  pool: Requirements,
  requirements: Requirements,
  which: string,
): string {
  const alone = [...requirements.values()]
    .sort((a, b) => compareText(a.key, b.key))
    .find((requirement) => {
      const narrowed = intersectRequirements(pool, new Map([[requirement.key, requirement]]));
      const only = narrowed.get(requirement.key) ?? requirement;
      return !types.some((type) => agrees(type.requirements, new Map([[only.key, only]])));
    });
  if (alone) return `no instance type that ${which} has ${describeRequirement(alone)}`;
  return `no instance type that ${which} has all of ${describeRequirements(requirements)}`;
}
