import { describe, expect, it } from 'vitest';
import type { Creation } from '#lib/decide/creations.ts';
import { heldBack } from '#lib/decide/hold-back.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const toCreate = (
  name: string,
  requests: Readonly<Record<string, number>>,
  forPods: readonly string[] = [],
): Creation => {
  const { meta, spec } = aNewClaim({ meta: { name }, spec: { requests } });
  const owner = { kind: 'NodePool', name: 'default', uid: 'uid' } as const;
  const claim = { name, labels: meta.labels, annotations: {}, owner, spec };
  return { kind: 'createNodeClaim', claim, forPods };
};

describe('heldBack', () => {
  it('lets the NodeClaims of one plan wait for each other, not those that need a device plugin', () => {
    const creations = [
      toCreate('a', { cpu: 1000 }),
      toCreate('b', { cpu: 1000, 'vpc.amazonaws.com/pod-eni': 1 }),
      toCreate('c', { cpu: 1000, 'nvidia.com/gpu': 1 }),
    ];
    const held = heldBack(creations, aSnapshot());
    const batches = held.map(({ claim }) => claim.annotations['joinery.dev/batch']);

    expect(held.map(({ claim }) => claim.spec.startupTaints.length)).toEqual([1, 1, 0]);
    expect(batches[0]).toBe(batches[1]);
    expect(batches[2]).toBeUndefined();
  });

  it('does not hold back a node that is only for pods which still run on one that is going', () => {
    const nodes = [aStateNode({ pods: [aRunningPod()] })];
    const creations = [
      toCreate('a', { cpu: 1000 }, ['default/web-1']),
      toCreate('b', { cpu: 1000 }, ['default/web-1', 'default/waits']),
    ];
    const held = heldBack(creations, aSnapshot({ nodes }));

    expect(held.map(({ claim }) => claim.spec.startupTaints.length)).toEqual([0, 1]);
  });
});
