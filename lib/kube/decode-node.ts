import type { Resources } from '#lib/constraints/resources.ts';
import type { Node } from '#lib/model/node.ts';
import { conditionStatus, decodeMeta } from './decode-meta.ts';
import { decodeTaint } from './decode-scheduling.ts';
import {
  grouped,
  list,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { amounts, flag, instant, text } from './scalar.ts';

const NONE: Resources = Object.freeze({});

/** A Node. Throws DecodeError. */
export function decodeNode(value: unknown): Node {
  const body = wire(value);
  const meta = decodeMeta(body);
  return {
    meta,
    ...grouped(body, 'spec', (spec) => ({
      taints: list(spec, 'taints', decodeTaint),
      unschedulable: withDefault(spec, 'unschedulable', false, flag),
      ...present({ providerId: optional(spec, 'providerID', text) || undefined }),
    })),
    ...grouped(body, 'status', (status) => ({
      capacity: withDefault(status, 'capacity', NONE, amounts),
      allocatable: withDefault(status, 'allocatable', NONE, amounts),
      ...present({ ready: decodeReady(status, meta.createdAt) }),
    })),
  };
}

function decodeReady(status: Wire, since: number): Node['ready'] {
  const ready = list(status, 'conditions', wire).find(({ type }) => type === 'Ready');
  return (
    ready && {
      status: required(ready, 'status', conditionStatus),
      changedAt: withDefault(ready, 'lastTransitionTime', since, instant),
    }
  );
}
