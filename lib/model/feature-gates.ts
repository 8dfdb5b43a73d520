/**
 * Behaviours that a cluster has to ask for. They bear Karpenter's names and are off by default, as
 * there.
 *
 * Source: karpenter v1.14, operator/options/options.go, FEATURE_GATES; karpenter AWS provider after
 * v1.14.1, AWS_FEATURE_GATES, for NodeClassCEL.
 */
export const FEATURE_GATES = [
  'CapacityBuffer',
  'NodeClassCEL',
  'NodeOverlay',
  'NodeRepair',
  'SpotToSpotConsolidation',
  'StaticCapacity',
] as const;

/** The name of one of them. */
export type FeatureGate = (typeof FEATURE_GATES)[number];

/** Karpenter's other gates, with the one state in which Joinery is. */
const FIXED: ReadonlyMap<string, string> = new Map([['ReservedCapacity', 'true']]);

const isGate = (name: string): name is FeatureGate => FEATURE_GATES.some((each) => each === name);

/**
 * The gates that `text` opens, sorted, or what is wrong with it. It is Karpenter's notation: a gate
 * that is not named stays as it is by default.
 *
 * Example: NodeOverlay=true,StaticCapacity=false opens NodeOverlay.
 */
export function parseFeatureGates(
  text: string,
): readonly FeatureGate[] | { readonly problem: string } {
  const open = new Set<FeatureGate>();
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [name = '', value = ''] = part.split('=').map((each) => each.trim());
    if (!/^(true|false)$/.test(value)) {
      return { problem: `${part.trim()} does not say true or false, such as NodeOverlay=true` };
    }
    if (isGate(name)) {
      if (value === 'true') open.add(name);
      else open.delete(name);
      continue;
    }
    const fixed = FIXED.get(name);
    if (fixed === undefined) {
      return { problem: `there is no gate ${name}, only ${FEATURE_GATES.join(', ')}` };
    }
    if (fixed !== value) return { problem: `${name} is always ${fixed} in this version` };
  }
  return [...open].sort();
}
