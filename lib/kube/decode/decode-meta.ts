import type { Condition, ObjectMeta, Owner } from '#lib/model/object.ts';
import type { EpochMs } from '#lib/model/time.ts';
import {
  type Decoder,
  grouped,
  list,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { flag, instant, integer, name, oneOf, text, textMap } from './scalar.ts';

const NO_TEXTS: Readonly<Record<string, string>> = Object.freeze({});

/** The map under `key`; one shared empty map where there is none. */
export const texts = (of: Wire, key: string): Readonly<Record<string, string>> =>
  withDefault(of, key, NO_TEXTS, textMap);

/** The metadata of an object that `body` is; name, uid and creation time must be there. */
export function decodeMeta(body: Wire): ObjectMeta {
  return grouped(body, 'metadata', (meta) => ({
    name: required(meta, 'name', name),
    uid: required(meta, 'uid', name),
    resourceVersion: withDefault(meta, 'resourceVersion', '', text),
    generation: withDefault(meta, 'generation', 0, integer),
    createdAt: required(meta, 'creationTimestamp', instant),
    labels: texts(meta, 'labels'),
    annotations: texts(meta, 'annotations'),
    finalizers: list(meta, 'finalizers', text),
    owners: list(meta, 'ownerReferences', decodeOwner),
    ...present({
      namespace: optional(meta, 'namespace', name),
      deletedAt: optional(meta, 'deletionTimestamp', instant),
    }),
  }));
}

/** The metadata of an object that lives in a namespace. */
export function decodeNamespacedMeta(body: Wire): ObjectMeta & { readonly namespace: string } {
  const namespace = grouped(body, 'metadata', (meta) => required(meta, 'namespace', name));
  return { ...decodeMeta(body), namespace };
}

const decodeOwner: Decoder<Owner> = (value) => {
  const owner = wire(value);
  return {
    apiVersion: required(owner, 'apiVersion', text),
    kind: required(owner, 'kind', text),
    name: required(owner, 'name', text),
    uid: required(owner, 'uid', text),
    controller: withDefault(owner, 'controller', false, flag),
  };
};

/** The status word of every condition. */
export const conditionStatus = oneOf('True', 'False', 'Unknown');

/** The conditions under `status`; one without a transition time counts from `since`. */
export function decodeConditions(status: Wire, since: EpochMs): readonly Condition[] {
  return list(status, 'conditions', (value) => {
    const condition = wire(value);
    return {
      type: required(condition, 'type', name),
      status: required(condition, 'status', conditionStatus),
      reason: withDefault(condition, 'reason', '', text),
      message: withDefault(condition, 'message', '', text),
      changedAt: withDefault(condition, 'lastTransitionTime', since, instant),
      ...present({ observedGeneration: optional(condition, 'observedGeneration', integer) }),
    };
  });
}
