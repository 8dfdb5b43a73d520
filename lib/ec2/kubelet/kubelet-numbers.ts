import { parseAmount } from '#lib/constraints/quantity.ts';
import type { NodeSettings } from '#lib/ec2/catalog/node-settings.ts';
import type { InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import type { KubeletReserves } from '#lib/model/instance-type.ts';
import type { KubeletSettings } from '#lib/model/node-class.ts';
import {
  type BadExpression,
  type ExpressionInputs,
  evaluate,
  isBad,
} from './kubelet-expressions.ts';
import { defaultPodLimit, perCoreLimit } from './pod-limit.ts';

/** What a NodeClass's kubelet settings come to on one instance type. */
export interface KubeletNumbers {
  /** How many pods kubelet will take; 0 where its expression comes to no usable number. */
  readonly podLimit: number;
  /** Quantities only: an expression that comes to nothing is left out. */
  readonly reserves: KubeletReserves;
  /** What an expression came to that cannot be used, a sentence each. */
  readonly problems: readonly string[];
}

/** kubelet keeps maxPods in 32 bits. */
const MOST_PODS = 2 ** 31 - 1;
const LARGEST = 2n ** 63n - 1n;

/**
 * How expressions are counted, by resource: the unit of their result, and what it is rounded up
 * to, so that types that differ by little are told the same.
 *
 * Source: karpenter AWS provider, after v1.14.1, pkg/cel.
 */
const UNITS: Readonly<Record<string, { readonly unit: string; readonly step: bigint }>> = {
  cpu: { unit: 'm', step: 10n },
  memory: { unit: 'Mi', step: 16n },
  'ephemeral-storage': { unit: 'Gi', step: 1n },
};

/** Whether any of these settings is an expression over the instance type. */
export const hasExpressions = (kubelet: KubeletSettings): boolean =>
  kubelet.maxPodsExpression !== undefined ||
  [kubelet.kubeReserved, kubelet.systemReserved].some((reserved) =>
    Object.entries(reserved ?? {}).some(([name, text]) => parseAmount(name, text) === undefined),
  );

/**
 * The kubelet settings of a NodeClass as numbers for one type. Where expressions are switched
 * off, settings that are some count as not set. In the expression of maxPods, `max_pods` is what
 * would hold without it; in all others, what holds.
 *
 * Source: karpenter AWS provider, after v1.14.1, providers/instancetype/types.go.
 */
export function kubeletNumbers(facts: InstanceTypeFacts, settings: NodeSettings): KubeletNumbers {
  const { kubelet = {} } = settings.nodeClass.spec;
  const usual = perCoreLimit(facts, settings, defaultPodLimit(facts, settings));
  const written = writtenLimit(kubelet, settings, inputsOf(facts, usual));
  const isUsable = typeof written !== 'object';
  const podLimit = isUsable ? perCoreLimit(facts, settings, written ?? usual) : 0;
  const problems: string[] = isUsable ? [] : [`maxPods for ${facts.name} ${written.problem}`];
  const inputs = inputsOf(facts, podLimit);
  const reserve = (field: 'kubeReserved' | 'systemReserved') =>
    Object.entries(kubelet[field] ?? {}).flatMap(([name, text]) => {
      if (parseAmount(name, text) !== undefined) return [[name, text] as const];
      if (settings.kubeletExpressions !== true) return [];
      const quantity = reservedQuantity(name, text, inputs);
      if (typeof quantity === 'string') return [[name, quantity] as const];
      problems.push(`${field}.${name} for ${facts.name} ${quantity.problem}`);
      return [];
    });
  const reserves = {
    kubeReserved: Object.fromEntries(reserve('kubeReserved')),
    systemReserved: Object.fromEntries(reserve('systemReserved')),
  };
  return { podLimit, reserves, problems };
}

/** maxPods as the NodeClass has it, undefined where it has none. */
function writtenLimit(
  { maxPods, maxPodsExpression }: KubeletSettings,
  { kubeletExpressions }: NodeSettings,
  inputs: ExpressionInputs,
): number | BadExpression | undefined {
  if (maxPodsExpression === undefined || kubeletExpressions !== true) return maxPods;
  const result = evaluate(maxPodsExpression, inputs);
  if (isBad(result)) return result;
  if (result >= 0n && result <= MOST_PODS) return Number(result);
  return { problem: `comes to ${result}, and must be from 0 to ${MOST_PODS}` };
}

function reservedQuantity(
  name: string,
  expression: string,
  inputs: ExpressionInputs,
): string | BadExpression {
  const result = evaluate(expression, inputs);
  if (isBad(result)) return result;
  if (result < 0n) return { problem: `comes to ${result}, and may not be negative` };
  const { unit, step } = UNITS[name] ?? { unit: '', step: 1n };
  const rounded = ((result + step - 1n) / step) * step;
  return `${rounded > LARGEST ? result : rounded}${unit}`;
}

const inputsOf = (facts: InstanceTypeFacts, maxPods: number): ExpressionInputs => ({
  vcpus: facts.vcpus,
  memoryMib: facts.memoryMib,
  defaultInterfaces: facts.cardInterfaces[facts.defaultCard] ?? 0,
  ipv4PerInterface: facts.ipv4PerInterface,
  maxPods,
  instanceType: facts.name,
});
