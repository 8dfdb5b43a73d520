import type { Resource } from './resources.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const NOT_A_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const NOT_A_LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";

/** Whether `name` can name a Node. */
export const isSubdomain = (name: string): boolean => name.length <= 253 && SUBDOMAIN.test(name);

/**
 * What is wrong with an object's name; undefined where nothing is.
 *
 * Source: kubernetes v1.36, apimachinery util/validation, IsDNS1123Subdomain and IsDNS1123Label.
 */
export function nameProblem(resource: Resource, name: string): string | undefined {
  if (resource.kind === 'Namespace' || resource.kind === 'Service') {
    if (name.length > 63) return 'must be no more than 63 characters';
    return LABEL.test(name) ? undefined : NOT_A_LABEL;
  }
  if (name.length > 253) return 'must be no more than 253 characters';
  return SUBDOMAIN.test(name) ? undefined : NOT_A_SUBDOMAIN;
}
