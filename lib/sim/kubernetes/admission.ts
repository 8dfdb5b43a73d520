/**
 * What the API server adds to objects and refuses of them before they are stored: shapes, defaults,
 * validation and the admission plugins that matter to nodes and pods (DefaultTolerationSeconds,
 * Priority, TaintNodesByCondition). Validation of built-in kinds covers what the embedded cluster
 * relies on, not all that a real API server checks; custom kinds are checked by their whole schema.
 */
import type { Instant } from '../clock.ts';
import { admitPod, podChangeCauses } from './admit-pod.ts';
import { admitWorkload, workloadCauses } from './admit-workload.ts';
import type { CustomKind } from './custom-kinds.ts';
import { isRecord, type JsonRecord, recordAt } from './json.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { shapeProblem } from './shapes.ts';
import {
  badRequest,
  type Cause,
  forbiddenValue,
  invalid,
  invalidValue,
  isRefusal,
  type Refusal,
} from './status.ts';
import { isNode, isPod, type Store } from './store.ts';
import type { KubeObject, Metadata, NodeObject, WireTaint } from './wire.ts';

/** What an admission may look at. */
export interface Admission {
  readonly resource: Resource;
  readonly store: Store;
  readonly now: Instant;
  readonly custom: CustomKind | undefined;
  readonly subresource?: 'status';
}

/** A draft with a name, as admission gets it. */
export type Draft = JsonRecord & { readonly metadata: Metadata };

/** The object to store for a create, or why not. */
export function admitCreate(draft: Draft, admission: Admission): KubeObject | Refusal {
  const object = decode(draft, undefined, admission);
  if (isRefusal(object)) return object;
  const admitted = isPod(object) ? admitPod(object, admission.store) : admitBuiltIn(object);
  if (isRefusal(admitted)) return admitted;
  const causes = isPod(admitted) ? [] : workloadCauses(admitted);
  return causes.length === 0 ? admitted : invalid(admission.resource, draft.metadata.name, causes);
}

/** The object to store for an update, or why not. */
export function admitUpdate(
  draft: KubeObject,
  current: KubeObject,
  admission: Admission,
): KubeObject | Refusal {
  const object = decode({ ...draft }, current, admission);
  if (isRefusal(object)) return object;
  const admitted = isPod(object) || isNode(object) ? object : admitWorkload(object);
  const causes = changeCauses(admitted, current, admission);
  return causes.length === 0
    ? admitted
    : invalid(admission.resource, current.metadata.name, causes);
}

function decode(
  draft: JsonRecord,
  current: KubeObject | undefined,
  { resource, custom }: Admission,
): KubeObject | Refusal {
  const name = String(recordAt(draft, 'metadata').name);
  if (custom !== undefined) {
    const { object, causes } = custom.admit(draft, current);
    return causes.length === 0 ? asObject(object) : invalid(resource, name, causes);
  }
  const cleaned = dropNulls(draft);
  const problem = shapeProblem(resource.kind, cleaned);
  if (problem === undefined) return asObject(cleaned);
  const version = apiVersionOf(resource);
  return badRequest(
    `${resource.kind} in version "${version}" cannot be handled as a ${resource.kind}: ${problem}`,
  );
}

/** A draft has a kind, an apiVersion and metadata by construction; its shape has been checked. */
const asObject = (draft: unknown): KubeObject => draft as KubeObject;

/** A null is an absent field to every built-in kind. */
function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isRecord(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null && item !== undefined) kept[key] = dropNulls(item);
  }
  return kept;
}

function admitBuiltIn(object: KubeObject): KubeObject {
  if (isNode(object)) return bornNotReady(object);
  if (object.kind === 'Namespace') return labelled(object);
  return admitWorkload(object);
}

const NOT_READY: WireTaint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Source: kubernetes v1.36, plugin/pkg/admission/nodetaint. */
function bornNotReady(node: NodeObject): NodeObject {
  const taints = node.spec?.taints ?? [];
  const known = taints.some(({ key, effect }) => key === NOT_READY.key && effect === 'NoSchedule');
  return {
    ...node,
    spec: { ...node.spec, taints: known ? taints : [...taints, NOT_READY] },
    status: node.status ?? {},
  };
}

function labelled(namespace: KubeObject): KubeObject {
  const { name, labels } = namespace.metadata;
  return {
    ...namespace,
    metadata: {
      ...namespace.metadata,
      labels: { ...labels, 'kubernetes.io/metadata.name': name },
    },
    status: { phase: 'Active' },
  };
}

function changeCauses(
  next: KubeObject,
  current: KubeObject,
  { subresource }: Admission,
): readonly Cause[] {
  if (isPod(next) && isPod(current)) return podChangeCauses(next, current, subresource);
  if (isNode(next) && isNode(current)) return nodeChangeCauses(next, current);
  return workloadCauses(next, current);
}

/** Source: kubernetes v1.36, apis/core/validation, ValidateNodeUpdate. */
function nodeChangeCauses(next: NodeObject, current: NodeObject): readonly Cause[] {
  const had = current.spec.providerID ?? '';
  if (had !== '' && next.spec.providerID !== had) {
    const because = 'node updates may not change providerID except from "" to valid';
    return [forbiddenValue('spec.providerID', because)];
  }
  const seen = new Set<string>();
  for (const [index, { key, effect }] of (next.spec.taints ?? []).entries()) {
    const at = `spec.taints[${index}]`;
    if (seen.has(`${key}:${effect}`)) {
      const message = `Duplicate value: ${JSON.stringify({ key, effect })}`;
      return [{ reason: 'FieldValueDuplicate', message, field: at }];
    }
    seen.add(`${key}:${effect}`);
    if (key === '') return [invalidValue(`${at}.key`, key, 'name part must be non-empty')];
  }
  return [];
}
