import type { Resources } from '#lib/constraints/resources.ts';
import type { NodeClaim, NodeClaimSpec } from '#lib/model/node-claim.ts';
import { decodeConditions, decodeMeta } from './decode-meta.ts';
import { DEFAULT_EXPIRE_AFTER_MS, decodeNodeClassRef } from './decode-node-pool.ts';
import { decodeRequirement, decodeTaint } from './decode-scheduling.ts';
import {
  group,
  grouped,
  list,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { amounts, duration, durationOrNever, instant, text } from './scalar.ts';

const NONE: Resources = Object.freeze({});

/** A NodeClaim, with the CRD's defaults. Throws DecodeError. */
export function decodeNodeClaim(value: unknown): NodeClaim {
  const body = wire(value);
  const meta = decodeMeta(body);
  return {
    meta,
    spec: required(body, 'spec', (spec) => decodeSpec(wire(spec))),
    status: grouped(body, 'status', (status) => ({
      capacity: withDefault(status, 'capacity', NONE, amounts),
      allocatable: withDefault(status, 'allocatable', NONE, amounts),
      conditions: decodeConditions(status, meta.createdAt),
      ...present({
        nodeName: optional(status, 'nodeName', text) || undefined,
        providerId: optional(status, 'providerID', text) || undefined,
        imageId: optional(status, 'imageID', text) || undefined,
        lastPodEventAt: optional(status, 'lastPodEventTime', instant),
      }),
    })),
  };
}

function decodeSpec(spec: Wire): NodeClaimSpec {
  return {
    taints: list(spec, 'taints', decodeTaint),
    startupTaints: list(spec, 'startupTaints', decodeTaint),
    requirements: list(spec, 'requirements', decodeRequirement),
    requests: withDefault(group(spec, 'resources'), 'requests', NONE, amounts),
    nodeClassRef: required(spec, 'nodeClassRef', decodeNodeClassRef),
    expireAfter: withDefault(spec, 'expireAfter', DEFAULT_EXPIRE_AFTER_MS, durationOrNever),
    ...present({ terminationGraceMs: optional(spec, 'terminationGracePeriod', duration) }),
  };
}
