import { isPod } from './store.ts';
import type { KubeObject } from './wire.ts';

/**
 * A pod with a note of who nominated it to its node, where a client that names itself has just done
 * so: of all managed fields the only one that is kept. A nomination that changes otherwise is
 * nobody's.
 *
 * Source: kubernetes v1.36, apimachinery, managedfields; updates of pods/status.
 */
export function withNominator(
  next: KubeObject,
  current: KubeObject,
  manager: string | undefined,
): KubeObject {
  if (!isPod(next) || !isPod(current)) return next;
  if (next.status.nominatedNodeName === current.status.nominatedNodeName) return next;
  const { managedFields: _, ...metadata } = next.metadata;
  if (manager === undefined || next.status.nominatedNodeName === undefined) {
    return { ...next, metadata };
  }
  const fieldsV1 = { 'f:status': { 'f:nominatedNodeName': {} } };
  const entry = { manager, operation: 'Update', subresource: 'status', fieldsV1 };
  return { ...next, metadata: { ...metadata, managedFields: [entry] } };
}
