import { compareText } from '#lib/constraints/order.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import {
  kubeletOf,
  maxPodsOf,
  type NodeIdentity,
  nodeLabelsFlag,
  registrationTaints,
} from '#lib/ec2/user-data/node-identity.ts';
import type { KubeletSettings } from '#lib/model/node-class.ts';
import { parseDurationNanos } from '#lib/model/time.ts';

/**
 * What the bootstrap scripts of AL2 and of Windows pass on to kubelet, one flag each. The order
 * is upstream's; entries of a flag are sorted, where upstream's come in no order.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/bootstrap/bootstrap.go.
 */
export function kubeletFlags(identity: NodeIdentity): readonly string[] {
  const kubelet = kubeletOf(identity);
  const taints = registrationTaints(identity.claim).map(taintText);
  return [
    nodeLabelsFlag(identity),
    `--register-with-taints="${taints.join(',')}"`,
    `--max-pods=${maxPodsOf(identity)}`,
    ...amountFlag('pods-per-core', kubelet.podsPerCore),
    ...listFlag('system-reserved', '=', kubelet.systemReserved),
    ...listFlag('kube-reserved', '=', kubelet.kubeReserved),
    ...listFlag('eviction-hard', '<', kubelet.evictionHard),
    ...listFlag('eviction-soft', '<', kubelet.evictionSoft),
    ...listFlag('eviction-soft-grace-period', '=', softGracePeriods(kubelet)),
    ...amountFlag('eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod),
    ...amountFlag('image-gc-high-threshold', kubelet.imageGCHighThresholdPercent),
    ...amountFlag('image-gc-low-threshold', kubelet.imageGCLowThresholdPercent),
    ...amountFlag('cpu-cfs-quota', kubelet.cpuCFSQuota),
  ];
}

/** How long each soft threshold is put up with, written as Go writes durations. */
export const softGracePeriods = ({
  evictionSoftGracePeriod,
}: KubeletSettings): Readonly<Record<string, string>> | undefined =>
  evictionSoftGracePeriod === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(evictionSoftGracePeriod).map(([name, text]) => [name, goDuration(text)]),
      );

const taintText = ({ key, value, effect }: Taint): string =>
  value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;

const amountFlag = (name: string, value: number | boolean | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

function listFlag(
  name: string,
  between: '=' | '<',
  entries: Readonly<Record<string, string>> = {},
): readonly string[] {
  const sorted = Object.entries(entries).sort(([a], [b]) => compareText(a, b));
  const list = sorted.map(([key, value]) => `${key}${between}${value}`);
  return list.length === 0 ? [] : [`--${name}="${list.join(',')}"`];
}

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
/** Units below a second, the largest first. */
const FRACTIONS: readonly (readonly [string, bigint])[] = [
  ['ms', 1_000_000n],
  ['µs', 1_000n],
  ['ns', 1n],
];

/**
 * A duration as Go prints it: "2m" becomes "2m0s". What is no duration stays as it is.
 *
 * Source: Go, time.Duration.String.
 */
function goDuration(text: string): string {
  const nanos = parseDurationNanos(text);
  if (nanos === undefined) return text;
  const sign = nanos < 0n ? '-' : '';
  const left = nanos < 0n ? -nanos : nanos;
  if (left === 0n) return '0s';
  if (left < SECOND) {
    const [name, unit] = FRACTIONS.find(([, size]) => left >= size) ?? ['ns', 1n];
    return `${sign}${decimal(left, unit)}${name}`;
  }
  const hours = left >= HOUR ? `${left / HOUR}h` : '';
  const minutes = left >= MINUTE ? `${(left % HOUR) / MINUTE}m` : '';
  return `${sign}${hours}${minutes}${decimal(left % MINUTE, SECOND)}s`;
}

/** `amount` in units of `unit`, a power of ten, with as many decimals as it takes. */
function decimal(amount: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(amount % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${amount / unit}` : `${amount / unit}.${fraction}`;
}
