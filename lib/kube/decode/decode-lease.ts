import { LAST_LOOK, NEXT_LOOK, SCHEMA, STATUS_ASKED } from '#lib/kube/own-annotations.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { texts } from './decode-meta.ts';
import { type Decoder, group, optional, present, required, wire, withDefault } from './field.ts';
import { instant, integer, name, text } from './scalar.ts';

/** A Lease as it was read. */
export interface LeaseRecord {
  readonly ref: ObjectRef;
  /** '' where nobody holds it. */
  readonly holder: string;
  readonly seconds: number;
  /** 0 where it was never held. */
  readonly renewedAt: EpochMs;
  readonly transitions: number;
  /** From Joinery's own annotations. */
  readonly schema?: string;
  readonly lastLook?: EpochMs;
  readonly nextLook?: EpochMs;
  readonly statusAsked?: EpochMs;
}

/** A Lease, Joinery's or another's. Throws DecodeError. */
export const decodeLease: Decoder<LeaseRecord> = (value) => {
  const body = wire(value);
  const meta = required(body, 'metadata', wire);
  const annotations = texts(meta, 'annotations');
  const spec = group(body, 'spec');
  return {
    ref: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      namespace: required(meta, 'namespace', name),
      name: required(meta, 'name', name),
      uid: required(meta, 'uid', name),
      resourceVersion: required(meta, 'resourceVersion', name),
    },
    holder: withDefault(spec, 'holderIdentity', '', text),
    seconds: withDefault(spec, 'leaseDurationSeconds', 0, integer),
    renewedAt: withDefault(spec, 'renewTime', 0, instant),
    transitions: withDefault(spec, 'leaseTransitions', 0, integer),
    ...present({
      schema: annotations[SCHEMA],
      lastLook: optional(annotations, LAST_LOOK, instant),
      nextLook: optional(annotations, NEXT_LOOK, instant),
      statusAsked: optional(annotations, STATUS_ASKED, instant),
    }),
  };
};
