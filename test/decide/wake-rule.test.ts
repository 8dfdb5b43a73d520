import { describe, expect, it } from 'vitest';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const sleepy = (namespaces: string, name = 'default') =>
  aNodePool({ meta: { name, annotations: { 'joinery.dev/do-not-wake-for': namespaces } } });
const dns = aPod({ meta: { name: 'dns', namespace: 'kube-system' } });
const web = aPod({ meta: { name: 'web' } });

const placed = (difference: Partial<Snapshot>) =>
  podsToPlace(
    aSnapshot({ nodePools: [sleepy('kube-system, monitoring')], ...difference }),
  ).pods.map(({ meta }) => meta.name);

describe('a cluster that sleeps', () => {
  it('is not woken by pods of namespaces that its NodePools name', () => {
    const { ineligible } = podsToPlace(
      aSnapshot({ nodePools: [sleepy('kube-system')], pods: [dns] }),
    );

    expect(placed({ pods: [dns] })).toEqual([]);
    expect(ineligible[0]?.rejection.because).toContain('namespace kube-system');
  });

  it('is woken by anybody else, and then serves all', () => {
    expect(placed({ pods: [dns, web] })).toEqual(['web', 'dns']);
  });

  it('sleeps no more once it has a node', () => {
    expect(placed({ pods: [dns], nodes: [aStateNode()] })).toEqual(['dns']);
  });

  it('is woken where one of its NodePools does not mind', () => {
    const nodePools = [sleepy('kube-system'), aNodePool({ meta: { name: 'other' } })];

    expect(placed({ pods: [dns], nodePools })).toEqual(['dns']);
  });
});
