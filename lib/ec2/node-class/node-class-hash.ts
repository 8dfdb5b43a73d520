import { compareText } from '#lib/constraints/order.ts';
import { amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import { shortDigest } from '#lib/model/digest.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/**
 * What karpenter.k8s.aws/ec2nodeclass-hash-version says of hashes made this way. Karpenter's own
 * (v6) hashes Go structs; with a version of its own, neither controller takes the other's hashes
 * for its own, and nothing drifts when a cluster changes hands.
 */
export const NODECLASS_HASH_VERSION_VALUE = 'joinery-v1';

const DIGEST_LENGTH = 20;

/**
 * Fields that decide what is found rather than what is made, and are compared with what was made
 * instead. Source: karpenter AWS provider v1.14, apis/v1/ec2nodeclass.go, hash:"ignore".
 */
const NOT_HASHED: ReadonlySet<string> = new Set([
  'subnetSelectorTerms',
  'securityGroupSelectorTerms',
  'capacityReservationSelectorTerms',
  'amiSelectorTerms',
  'ipPrefixCount',
  'amiFamily',
  'kubelet',
]);

/**
 * The hash that tells whether nodes still are what their NodeClass says. Lists count as sets, and
 * what is empty, 0 or false counts as absent, so that a rewritten manifest is no change. The
 * resolved image family and the cluster's CA count too.
 */
export function nodeClassHash(
  nodeClass: NodeClass,
  settings: Pick<ClusterSettings, 'clusterCa'>,
): string {
  const written = Object.entries(nodeClass.wire).filter(([field]) => !NOT_HASHED.has(field));
  return shortDigest(
    JSON.stringify({
      spec: canonical(Object.fromEntries(written), { listsAreSets: true }),
      family: amiFamilyOf(nodeClass).name,
      clusterCa: settings.clusterCa,
      // Passed on to kubelet as it is, so every difference counts.
      kubelet: canonical(nodeClass.wire.kubelet ?? null, { listsAreSets: false }),
    }),
    DIGEST_LENGTH,
  );
}

/** A value with its keys sorted; as a set, also with lists sorted and nothing empty left. */
function canonical(value: unknown, how: { readonly listsAreSets: boolean }): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, how));
    return how.listsAreSets
      ? items.sort((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)))
      : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .map(([key, field]) => [key, canonical(field, how)] as const)
    .filter(([, field]) => !how.listsAreSets || !isZero(field))
    .sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(fields);
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false || value === undefined;
}
