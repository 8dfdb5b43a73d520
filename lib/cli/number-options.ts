import type { NumberSettings } from '#lib/ec2/catalog/node-settings.ts';
import { parseFeatureGates } from '#lib/model/feature-gates.ts';

/** What a command line may say about how a node's numbers are reckoned. */
export interface NumberOptions {
  /** Karpenter's notation. */
  readonly featureGates?: string;
  /** Interfaces that are kept from pods, as a number. */
  readonly reservedEnis?: string;
  /** The share of memory that the hypervisor keeps. */
  readonly vmMemoryOverheadPercent?: string;
}

/** What the options come to, or which of them is wrong and how. Source: karpenter v1.14, settings. */
export function numberSettingsOf(
  options: NumberOptions,
): NumberSettings | { readonly misuse: string } {
  const gates = parseFeatureGates(options.featureGates ?? '');
  if ('problem' in gates) return { misuse: `--feature-gates: ${gates.problem}` };
  const reservedInterfaces = Number(options.reservedEnis ?? '0');
  if (!(Number.isInteger(reservedInterfaces) && reservedInterfaces >= 0)) {
    return { misuse: `--reserved-enis ${options.reservedEnis}: expected a number such as 1` };
  }
  const vmMemoryOverheadPercent = Number(options.vmMemoryOverheadPercent ?? '0.075');
  if (!(vmMemoryOverheadPercent >= 0 && vmMemoryOverheadPercent < 1)) {
    const found = options.vmMemoryOverheadPercent;
    return { misuse: `--vm-memory-overhead-percent ${found}: expected a share such as 0.075` };
  }
  const kubeletExpressions = gates.includes('NodeClassCEL');
  return { vmMemoryOverheadPercent, reservedInterfaces, kubeletExpressions };
}
