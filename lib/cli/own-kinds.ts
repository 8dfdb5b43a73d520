import { identityOf } from '#lib/kube/decode/decode.ts';
import type { Wire } from '#lib/kube/decode/field.ts';
import { groupOf } from '#lib/kube/kinds.ts';
import { admit } from '#lib/sim/schema/admit.ts';
import { type CustomResource, readCrd } from '#lib/sim/schema/custom-resource.ts';
import { crdTexts } from './crds.ts';

/** An object of our kinds as an API server would keep it, or what it has against it. */
export type OwnObject = { readonly object: Wire } | { readonly refusals: readonly string[] };

/** Kinds whose schemas are ours, and whose objects a plan reads, with their groups. */
const OWN_KINDS: ReadonlyMap<string, string> = new Map([
  ['NodePool', 'karpenter.sh'],
  ['NodeClaim', 'karpenter.sh'],
  ['NodeOverlay', 'karpenter.sh'],
  ['EC2NodeClass', 'karpenter.k8s.aws'],
  ['CapacityBuffer', 'autoscaling.x-k8s.io'],
]);

/** Whether an API server would hold `object` against a schema of ours. */
export const isOwnKind = (object: Wire): boolean => {
  const { apiVersion, kind } = identityOf(object);
  return OWN_KINDS.get(kind) === groupOf(apiVersion);
};

/**
 * Holds objects of our kinds against the schemas that are installed with Joinery: defaults filled
 * in, unknown fields dropped, refusals in the API server's words. What it has against metadata
 * alone is let pass: names and labels are often written later by tools. A kind's schema and rules
 * are compiled when its first object asks for them, which takes a tenth of a second.
 */
export function createOwnKinds(): (object: Wire) => OwnObject {
  const resources = new Map<string, CustomResource>();
  const resourceOf = (kind: string): CustomResource => {
    const known = resources.get(kind);
    if (known !== undefined) return known;
    const crd = crdTexts().find((text) => text.includes(`\n    kind: ${kind}\n`));
    if (crd === undefined) throw new Error(`Expected the schema of ${kind}, found none`);
    const resource = readCrd(crd);
    resources.set(kind, resource);
    return resource;
  };
  return (object) => {
    const { apiVersion, kind } = identityOf(object);
    const { group, versions } = resourceOf(kind);
    const version = versions.find(
      ({ name, served }) => served && apiVersion === `${group}/${name}`,
    );
    if (version === undefined) {
      return { refusals: [`no matches for kind "${kind}" in version "${apiVersion}"`] };
    }
    const admission = admit(version, object);
    const errors = admission.errors.filter(({ path }) => !path.startsWith('metadata.'));
    if (errors.length === 0) return { object: admission.object };
    return {
      refusals: errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
    };
  };
}
