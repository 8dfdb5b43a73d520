import type { Resources } from '#lib/constraints/resources.ts';
import { HEALTH_CONDITIONS, type Health, type Node } from '#lib/model/node.ts';
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
      ...present({
        ready: decodeHealth(status, 'Ready', meta.createdAt),
        health: decodeAilments(status, meta.createdAt),
      }),
    })),
  };
}

function decodeHealth(status: Wire, type: string, since: number): Health | undefined {
  const found = list(status, 'conditions', wire).find((each) => each.type === type);
  return (
    found && {
      status: required(found, 'status', conditionStatus),
      changedAt: withDefault(found, 'lastTransitionTime', since, instant),
    }
  );
}

function decodeAilments(status: Wire, since: number): Node['health'] {
  const found = HEALTH_CONDITIONS.flatMap((type) => {
    const health = decodeHealth(status, type, since);
    return health ? [[type, health] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
