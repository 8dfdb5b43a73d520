import { identityOf } from '#lib/kube/decode/decode.ts';
import { DecodeError, group, type Wire } from '#lib/kube/decode/field.ts';
import { groupOf, isKind, KINDS } from '#lib/kube/kinds.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';
import { withFoldedLabelKeys } from './fold-label-keys.ts';

/** The object's name; '' where it has none. */
export const nameOf = (object: Wire): string => identityOf(object).name;

/** The namespace of an object that lives in one; `default` where it names none. */
export const namespaceOf = (object: Wire): string => identityOf(object).namespace || 'default';

/** What tells one object from another: group, kind, namespace and name. */
export function keyOf(object: Wire): string {
  const { apiVersion, kind, namespace, name } = identityOf(object);
  const isNamespaced = isKind(kind) ? KINDS[kind].isNamespaced : namespace !== '';
  const place = isNamespaced ? `${namespaceOf(object)}/` : '';
  return `${groupOf(apiVersion)} ${kind} ${place}${name}`.trim();
}

/**
 * The object with what an API server and a scheduler would have added, where it is missing: uid,
 * creation time, namespace, generation, a status. Fixed by the object and `now`, so that the same
 * files always give the same Snapshot. What cannot be read is left as it is: decoding tells why.
 */
export function filledIn(object: Wire, now: EpochMs, priorities: Priorities): Wire {
  const named = ifReadable(object, (bare) => withMetadata(bare, now));
  return ifReadable(named, (bare) => filledInByKind(bare, priorities));
}

function ifReadable(object: Wire, change: (object: Wire) => Wire): Wire {
  try {
    return change(object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return object;
  }
}

function withMetadata(object: Wire, now: EpochMs): Wire {
  const { kind } = identityOf(object);
  const isNamespaced = isKind(kind) && KINDS[kind].isNamespaced;
  const metadata = {
    uid: shortDigest(keyOf(object), 24),
    creationTimestamp: formatInstant(now),
    generation: 1,
    ...(isNamespaced && { namespace: 'default' }),
    ...withoutNulls(group(object, 'metadata')),
  };
  return { ...object, metadata };
}

function filledInByKind(object: Wire, priorities: Priorities): Wire {
  switch (identityOf(object).kind) {
    case 'Pod':
      return filledInPod(object, priorities);
    case 'Node':
      return filledInNode(object);
    case 'PersistentVolumeClaim':
      return filledInVolumeClaim(object);
    default:
      return object;
  }
}

const withoutNulls = (fields: Wire): Wire =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));

const isMissing = (of: Wire, key: string): boolean => Object.keys(group(of, key)).length === 0;

function filledInPod(bare: Wire, priorities: Priorities): Wire {
  const pod = withFoldedLabelKeys(bare);
  const spec = group(pod, 'spec');
  return {
    ...pod,
    spec: { ...priorities.of(spec), ...spec },
    ...(isMissing(pod, 'status') && { status: statusOfPod(spec) }),
  };
}

const BOUND_CONDITIONS = ['PodScheduled', 'Ready'].map((type) => ({ type, status: 'True' }));

/** A pod without a status waits and was found unschedulable, unless it has a node or a gate. */
function statusOfPod(spec: Wire): Wire {
  const isBound = typeof spec.nodeName === 'string' && spec.nodeName !== '';
  const isGated = Array.isArray(spec.schedulingGates) && spec.schedulingGates.length > 0;
  const reason = isGated ? 'SchedulingGated' : 'Unschedulable';
  return isBound
    ? { phase: 'Running', conditions: BOUND_CONDITIONS }
    : { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason }] };
}

/** A Node that says nothing of its state is Ready, and gives pods all it has. */
function filledInNode(node: Wire): Wire {
  const { capacity, conditions, ...rest } = group(node, 'status');
  const status = {
    ...(capacity !== undefined && { capacity, allocatable: capacity }),
    conditions: conditions ?? [{ type: 'Ready', status: 'True' }],
    ...rest,
  };
  return { ...node, status };
}

/** A claim that names its volume and says nothing of its state is bound to it for good. */
function filledInVolumeClaim(claim: Wire): Wire {
  if (!isMissing(claim, 'status')) return claim;
  if (!group(claim, 'spec').volumeName) return { ...claim, status: { phase: 'Pending' } };
  const metadata = group(claim, 'metadata');
  const annotations = { [BIND_COMPLETED]: 'yes', ...group(metadata, 'annotations') };
  return { ...claim, metadata: { ...metadata, annotations }, status: { phase: 'Bound' } };
}

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/** What admission makes of a pod's priority class. */
export interface Priorities {
  readonly of: (spec: Wire) => Wire;
}

/** Source: kubernetes v1.36, scheduling/v1, SystemClusterCritical and SystemNodeCritical. */
const SYSTEM_CLASSES: readonly Wire[] = [
  { metadata: { name: 'system-cluster-critical' }, value: 2_000_000_000 },
  { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 },
];

/** The priority classes among `objects`, and the two that every cluster has. */
export function prioritiesOf(objects: readonly Wire[]): Priorities {
  const classes = objects.filter(({ kind }) => kind === 'PriorityClass');
  const byName = new Map([...SYSTEM_CLASSES, ...classes].map((one) => [nameOf(one), one]));
  const fallback = classes.find(({ globalDefault }) => globalDefault === true);
  return {
    of: ({ priorityClassName }) => {
      const isNamed = typeof priorityClassName === 'string' && priorityClassName !== '';
      const found = isNamed ? byName.get(priorityClassName) : fallback;
      if (found === undefined) return {};
      const { value: priority, preemptionPolicy } = found;
      return { priority, ...(preemptionPolicy !== undefined && { preemptionPolicy }) };
    },
  };
}

/** Where files say nothing of time. */
const NO_TIME = Date.UTC(2026, 0, 1);

/** The latest instant that any of `objects` names as a time; 2026-01-01 where none does. */
export function latestInstant(objects: readonly Wire[]): EpochMs {
  const latest = objects.reduce((so, object) => Math.max(so, latestIn(object)), 0);
  return latest === 0 ? NO_TIME : latest;
}

function latestIn(value: unknown): EpochMs {
  if (typeof value !== 'object' || value === null) return 0;
  let latest = 0;
  for (const [key, field] of Object.entries(value)) {
    const found =
      typeof field === 'string'
        ? (/(?:Timestamp|Time)$/.test(key) && parseInstant(field)) || 0
        : latestIn(field);
    latest = Math.max(latest, found);
  }
  return latest;
}
