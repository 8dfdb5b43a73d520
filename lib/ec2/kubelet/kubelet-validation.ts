import { parseAmount } from '#lib/constraints/quantity.ts';
import type { AmiFamily } from '#lib/ec2/images/ami-family.ts';
import type { KubeletSettings } from '#lib/model/node-class.ts';
import { parseDuration } from '#lib/model/time.ts';
import { kubeletFieldProblems } from './kubelet-fields.ts';

type Entries = Readonly<Record<string, string>>;

/** Source: kubernetes v1.36, kubelet, eviction signals. */
const SIGNALS: ReadonlySet<string> = new Set([
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
]);
const RESERVABLE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid']);

/**
 * What is wrong with a NodeClass's kubelet settings, all of it: what kubelet would not read, then
 * what it would not take, sorted as the fields stand here.
 *
 * Source: karpenter AWS provider v1.14, apis/v1/ec2nodeclass_validation.go, kubelet rules.
 */
export function kubeletProblems(
  kubelet: KubeletSettings,
  written: Readonly<Record<string, unknown>>,
): readonly string[] {
  return [
    ...kubeletFieldProblems(written),
    ...('registerWithTaints' in written
      ? ['registerWithTaints may not be set: the NodePool says which taints nodes have']
      : []),
    ...signalProblems('evictionHard', kubelet.evictionHard, isThreshold),
    ...signalProblems('evictionSoft', kubelet.evictionSoft, isThreshold),
    ...signalProblems('evictionSoftGracePeriod', kubelet.evictionSoftGracePeriod, isGrace),
    ...signalProblems(
      'evictionMinimumReclaim',
      textsOf(written.evictionMinimumReclaim),
      isThreshold,
    ),
    ...unpairedProblems(kubelet),
    ...reservedProblems('systemReserved', kubelet.systemReserved),
    ...reservedProblems('kubeReserved', kubelet.kubeReserved),
    ...imageProblems(kubelet),
    ...countProblems(kubelet),
  ];
}

function signalProblems(
  field: string,
  entries: Entries = {},
  isValid: (value: string) => boolean,
): readonly string[] {
  return Object.entries(entries).flatMap(([signal, value]) => {
    if (!SIGNALS.has(signal)) return [`${field}: ${signal} is not an eviction signal`];
    return isValid(value)
      ? []
      : [`${field}: ${JSON.stringify(value)} cannot be used for ${signal}`];
  });
}

/** A percentage from 0 to 100, or a quantity that is not negative. */
function isThreshold(value: string): boolean {
  if (!value.endsWith('%')) return (parseAmount('memory', value) ?? -1) >= 0;
  const percent = Number(value.slice(0, -1));
  return value.length > 1 && percent >= 0 && percent <= 100;
}

const isGrace = (value: string): boolean => (parseDuration(value) ?? -1) >= 0;

function unpairedProblems({ evictionSoft = {}, evictionSoftGracePeriod = {} }: KubeletSettings) {
  return [
    ...Object.keys(evictionSoft)
      .filter((signal) => !Object.hasOwn(evictionSoftGracePeriod, signal))
      .map((signal) => `evictionSoft: ${signal} has no evictionSoftGracePeriod`),
    ...Object.keys(evictionSoftGracePeriod)
      .filter((signal) => !Object.hasOwn(evictionSoft, signal))
      .map((signal) => `evictionSoftGracePeriod: ${signal} has no evictionSoft`),
  ];
}

function reservedProblems(field: string, entries: Entries = {}): readonly string[] {
  return Object.entries(entries).flatMap(([resource, quantity]) => {
    if (!RESERVABLE.has(resource)) return [`${field}: ${resource} cannot be reserved`];
    return quantity.startsWith('-') ? [`${field}: ${resource} is negative`] : [];
  });
}

function imageProblems(kubelet: KubeletSettings): readonly string[] {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = kubelet;
  const isOutside = (percent: number | undefined) =>
    percent !== undefined && (percent < 0 || percent > 100);
  return [
    ...(isOutside(high) ? ['imageGCHighThresholdPercent must be from 0 to 100'] : []),
    ...(isOutside(low) ? ['imageGCLowThresholdPercent must be from 0 to 100'] : []),
    ...(high !== undefined && low !== undefined && high <= low
      ? ['imageGCHighThresholdPercent must be above imageGCLowThresholdPercent']
      : []),
  ];
}

function countProblems(kubelet: KubeletSettings): readonly string[] {
  const counts = {
    maxPods: kubelet.maxPods,
    podsPerCore: kubelet.podsPerCore,
    evictionMaxPodGracePeriod: kubelet.evictionMaxPodGracePeriod,
  };
  return Object.entries(counts).flatMap(([field, count]) =>
    count !== undefined && count < 0 ? [`${field} may not be negative`] : [],
  );
}

const textsOf = (value: unknown): Entries =>
  Object.fromEntries(
    Object.entries({ ...Object(value) }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** A kubelet setting that is computed for each instance type. */
export interface KubeletExpression {
  /** E.g. kubeReserved.cpu. */
  readonly field: string;
  readonly expression: string;
}

/**
 * The kubelet settings that are expressions over the instance type rather than values. Upstream
 * takes them behind a gate that is off by default.
 *
 * Source: karpenter AWS provider v1.14, NodeClassCEL.
 */
export function kubeletExpressions(kubelet: KubeletSettings): readonly KubeletExpression[] {
  const reserved = (field: string, entries: Entries = {}) =>
    Object.entries(entries)
      .filter(([resource, quantity]) => parseAmount(resource, quantity) === undefined)
      .map(([resource, expression]) => ({ field: `${field}.${resource}`, expression }));
  const { maxPodsExpression } = kubelet;
  return [
    ...(maxPodsExpression === undefined
      ? []
      : [{ field: 'maxPods', expression: maxPodsExpression }]),
    ...reserved('kubeReserved', kubelet.kubeReserved),
    ...reserved('systemReserved', kubelet.systemReserved),
  ];
}

/** The settings that every family's bootstrap can be told; only AL2023 takes kubelet's others. */
const TOLD_BY_FLAGS: ReadonlySet<string> = new Set([
  'clusterDNS',
  'maxPods',
  'podsPerCore',
  'systemReserved',
  'kubeReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'cpuCFSQuota',
]);

/**
 * Settings that images of a family cannot be told, a sentence each. Custom images are told none.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/validation.go.
 */
export function unsupportedSettings(
  { name, podsPerCoreCounts }: AmiFamily,
  written: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (name === 'AL2023' || name === 'Custom') return [];
  const { clusterDNS } = written;
  const unknown = Object.keys(written).filter(
    (field) => !TOLD_BY_FLAGS.has(field) || (field === 'podsPerCore' && !podsPerCoreCounts),
  );
  return [
    ...unknown.map((field) => `${field} cannot be set for images of family ${name}`),
    ...(Array.isArray(clusterDNS) && clusterDNS.length > 1
      ? [`clusterDNS may name one address only for images of family ${name}`]
      : []),
  ];
}
