import { describe, expect, it } from 'vitest';
import { encodeStatus } from '#lib/kube/encode-change.ts';
import { capacityBufferStatus } from '#lib/lifecycle/status/capacity-buffer-status.ts';
import { nodeOverlayStatus } from '#lib/lifecycle/status/node-overlay-status.ts';
import type { Action } from '#lib/model/plan.ts';
import { admit } from '#lib/sim/schema/admit.ts';
import { aCapacityBuffer } from '#test/build/capacity-buffers.ts';
import { ourVersion } from '#test/build/custom-resources.ts';
import { aNodeOverlay } from '#test/build/node-overlays.ts';
import { NOON } from '#test/build/objects.ts';

function statusIn([action]: readonly Action[]) {
  if (action?.kind !== 'updateStatus') throw new Error('expected a status, found none');
  return action.status;
}
const told = (actions: readonly Action[]) =>
  (statusIn(actions).conditions ?? []).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason} ${message}`,
  );

describe('nodeOverlayStatus', () => {
  const conflict = { reason: 'Conflict', message: 'conflict with another overlay' };

  it('is Ready where it is heeded, and not where it is in conflict', () => {
    expect(told(nodeOverlayStatus(aNodeOverlay(), undefined, NOON))).toEqual([
      'Ready=True Ready ',
      'ValidationSucceeded=True ValidationSucceeded ',
    ]);
    expect(told(nodeOverlayStatus(aNodeOverlay(), conflict, NOON))).toEqual([
      'Ready=False UnhealthyDependents ValidationSucceeded=False',
      'ValidationSucceeded=False Conflict conflict with another overlay',
    ]);
  });

  it('is written once', () => {
    const { conditions = [] } = statusIn(nodeOverlayStatus(aNodeOverlay(), conflict, NOON));

    expect(nodeOverlayStatus(aNodeOverlay({ status: { conditions } }), conflict, NOON + 1)).toEqual(
      [],
    );
  });

  it('is one that an API server takes', () => {
    const status = encodeStatus(statusIn(nodeOverlayStatus(aNodeOverlay(), undefined, NOON)));
    const object = { metadata: { name: 'a' }, spec: { requirements: [] }, status };

    expect(admit(ourVersion('NodeOverlay'), object)).toMatchObject({
      errors: [],
      object: { status },
    });
  });
});

describe('capacityBufferStatus', () => {
  const verdict = { replicas: 2, templateGeneration: 3, fits: true };
  const buffer = aCapacityBuffer({ podTemplate: 'web' });

  it('is one that an API server takes, whole', () => {
    const status = encodeStatus(statusIn(capacityBufferStatus(buffer, verdict, NOON)));
    const object = {
      metadata: { name: 'a', namespace: 'default' },
      spec: { podTemplateRef: { name: 'web' }, replicas: 2 },
      status,
    };

    expect(status).toMatchObject({
      podTemplateRef: { name: 'web' },
      replicas: 2,
      podTemplateGeneration: 3,
      provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
    });
    expect(admit(ourVersion('CapacityBuffer'), object)).toMatchObject({
      errors: [],
      object: { status },
    });
  });

  it('is written once, and again where its capacity is gone', () => {
    const first = statusIn(capacityBufferStatus(buffer, verdict, NOON));
    const after = aCapacityBuffer({
      podTemplate: 'web',
      status: {
        podTemplate: 'web',
        replicas: 2,
        podTemplateGeneration: 3,
        provisioningStrategy: buffer.provisioningStrategy,
        conditions: first.conditions ?? [],
      },
    });

    expect(capacityBufferStatus(after, verdict, NOON + 1)).toEqual([]);
    expect(told(capacityBufferStatus(after, { ...verdict, fits: false }, NOON + 1))).toEqual([
      'Provisioning=False RequiresNewCapacity ',
      'ReadyForProvisioning=True Resolved ',
    ]);
  });
});
