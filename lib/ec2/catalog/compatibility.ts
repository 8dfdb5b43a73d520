import type { AmiFamily } from '#lib/ec2/images/ami-family.ts';
import type { NetworkInterface, NodeClass } from '#lib/model/node-class.ts';
import type { InstanceTypeFacts } from './table.ts';

/**
 * Tells whether a type can be launched with what a NodeClass says of its machines. Types that
 * cannot stay in the catalogue, with every offering unavailable, so that a node of one is not taken
 * for unknown. What the source of the facts did not tell of a type counts as possible for placement
 * groups, which nearly every type takes, and as impossible for nested virtualization, which few do.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype/compatibility.
 */
export function compatibilityWith(
  { spec, status }: Pick<NodeClass, 'spec' | 'status'>,
  family: AmiFamily,
): (facts: InstanceTypeFacts) => boolean {
  const checks: ((facts: InstanceTypeFacts) => boolean)[] = [
    (facts) => bootsOn(family, facts.name),
  ];
  const { networkInterfaces, connectionTracking } = spec;
  if (networkInterfaces !== undefined && networkInterfaces.length > 0) {
    checks.push((facts) => takesInterfaces(facts, networkInterfaces));
  }
  if (spec.cpuOptions?.nestedVirtualization === 'enabled') {
    checks.push(({ processorFeatures = [] }) =>
      processorFeatures.includes('nested-virtualization'),
    );
  }
  if (connectionTracking !== undefined) checks.push(({ hypervisor }) => hypervisor === 'nitro');
  const strategy = status.placementGroup?.strategy;
  if (strategy !== undefined) {
    checks.push(({ placementStrategies }) => placementStrategies?.includes(strategy) ?? true);
  }
  return (facts) => checks.every((check) => check(facts));
}

/** Whether images of a family boot on a type at all: the first Graviton is too old for AL2023. */
const bootsOn = (family: AmiFamily, type: string): boolean =>
  !(family.name === 'AL2023' && type.startsWith('a1.'));

function takesInterfaces(
  facts: InstanceTypeFacts,
  interfaces: readonly NetworkInterface[],
): boolean {
  const efas = interfaces.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
  return (
    facts.enaSupported &&
    efas <= facts.efaInterfaces &&
    interfaces.every(
      ({ networkCardIndex, deviceIndex }) =>
        deviceIndex < (facts.cardInterfaces[networkCardIndex] ?? 0),
    )
  );
}
