import { compareText } from '#lib/constraints/order.ts';

/** Which volumes one pod of a group attaches to its node, as far as any node limits them. */
export interface Attachments {
  /** By CSI driver: how many volumes that no other pod uses. */
  readonly own: ReadonlyMap<string, number>;
  /** By CSI driver: the claims of volumes that other pods use too; on one node they count once. */
  readonly shared: ReadonlyMap<string, ReadonlySet<string>>;
  /** Pods of equal text attach alike: what only they use is told by number. */
  readonly key: string;
}

/** How many volumes of a CSI driver a node may have attached, and which it has already. */
export interface AttachmentLimit {
  readonly count: number;
  /** By claim, namespace/name. */
  readonly attached: ReadonlySet<string>;
}

/** By CSI driver; drivers that are absent are not limited. */
export type AttachmentLimits = ReadonlyMap<string, AttachmentLimit>;

/** Attaches nothing that is limited anywhere. */
export const NO_ATTACHMENTS: Attachments = { own: new Map(), shared: new Map(), key: '' };

/** What attaches `own` and `shared`. */
export function attachmentsOf(
  own: ReadonlyMap<string, number>,
  shared: ReadonlyMap<string, ReadonlySet<string>>,
): Attachments {
  if (own.size === 0 && shared.size === 0) return NO_ATTACHMENTS;
  const byDriver = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
    [...map].sort(([a], [b]) => compareText(a, b));
  const claims = byDriver(shared).map(([driver, keys]) => [driver, [...keys].sort(compareText)]);
  return { own, shared, key: JSON.stringify([byDriver(own), claims]) };
}

/** No CSI driver is limited. */
export const NO_LIMITS: AttachmentLimits = new Map();

/** Whoever attaches: a group of pods, for each of which the same is said. */
export interface Attaching {
  readonly attachments: Attachments;
}

/** How many pods of each group share a node. */
export type AttachingCompany = ReadonlyMap<Attaching, number>;

/**
 * How many pods that attach alike a node takes beside `company`, the pods that were put there in
 * this solve with their numbers; Infinity where nothing of it is limited.
 *
 * Source: kubernetes v1.36, scheduler/framework/plugins/nodevolumelimits/csi.go;
 * karpenter v1.14, scheduling/volumeusage.go.
 * Cost: for each limited driver of the pods, the claims of the company.
 */
export function mostAttachable(
  { attachments: joining }: Attaching,
  limits: AttachmentLimits,
  company: AttachingCompany,
): number {
  if (joining.key === '' || limits.size === 0) return Number.POSITIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (const driver of new Set([...joining.own.keys(), ...joining.shared.keys()])) {
    const limit = limits.get(driver);
    if (!limit) continue;
    const left = limit.count - takenOf(driver, limit, company, joining.shared.get(driver));
    const each = joining.own.get(driver) ?? 0;
    if (each > 0) most = Math.min(most, Math.floor(left / each));
    else if (left < 0) most = 0;
  }
  return Math.max(0, most);
}

/** Whether a node may have all attached that `company` brings. */
export function holdsAttachments(limits: AttachmentLimits, company: AttachingCompany): boolean {
  for (const [driver, limit] of limits) {
    if (takenOf(driver, limit, company) > limit.count) return false;
  }
  return true;
}

/** How many volumes of a driver a node has when `company` and users of `more` claims are there. */
function takenOf(
  driver: string,
  { attached }: AttachmentLimit,
  company: AttachingCompany,
  more: ReadonlySet<string> = NO_CLAIMS,
): number {
  const claims = new Set([...attached, ...more]);
  let own = 0;
  for (const [{ attachments }, count] of company) {
    if (count === 0 || attachments.key === '') continue;
    own += (attachments.own.get(driver) ?? 0) * count;
    for (const claim of attachments.shared.get(driver) ?? NO_CLAIMS) claims.add(claim);
  }
  return claims.size + own;
}

const NO_CLAIMS: ReadonlySet<string> = new Set();
