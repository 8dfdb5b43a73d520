import { aliasOf } from '#lib/ec2/images/ami-family.ts';
import type { NodeClass } from '#lib/model/node-class.ts';

/** From here on, `ephemeral-storage bind` knows by itself what to bind. */
const BINDS_SINCE = { major: 1, minor: 46 };

/**
 * Whether the images of a NodeClass know by themselves which folders belong on the local disks.
 * An image whose version nobody tells is taken for an old one, which must be told.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/bootstrap/bottlerocket.go.
 */
export function bindsByItself(nodeClass: NodeClass): boolean {
  const version = versionOf(nodeClass);
  if (version === 'latest') return true;
  const [, major, minor] = /^v?(\d+)\.(\d+)(?:\.|$)/.exec(version ?? '') ?? [];
  if (major === undefined) return false;
  return (
    Number(major) > BINDS_SINCE.major ||
    (Number(major) === BINDS_SINCE.major && Number(minor) >= BINDS_SINCE.minor)
  );
}

/** What says the version, the surest first: an alias, names that are selected, names found. */
function versionOf({ spec, status }: NodeClass): string | undefined {
  const alias = aliasOf({ spec });
  if (alias !== undefined) return alias.version;
  const selected = new Set(spec.amiSelectorTerms.map(({ id }) => id));
  const names = [
    ...spec.amiSelectorTerms.map(({ name = '' }) => name),
    ...status.amis.filter(({ id }) => selected.has(id)).map(({ name }) => name),
    ...status.amis.map(({ name }) => name).filter((name) => name.includes('bottlerocket')),
  ];
  return names.map(versionInName).find((version) => version !== undefined);
}

/** Example: bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a has the version v1.46.0. */
const versionInName = (name: string): string | undefined =>
  name.split('-').find((token) => token.startsWith('v') && token.includes('.'));
