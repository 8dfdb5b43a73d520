import { describe, expect, it } from 'vitest';
import { representativeDaemons } from '#lib/solver/daemons.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { NOON, ownedBy } from '#test/build/objects.ts';
import { aDaemonSet, aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { aTerm } from '#test/build/volumes.ts';

const AGENT = aDaemonSet({
  meta: { uid: ownedBy('DaemonSet').uid },
  pod: aPod({
    requests: { cpu: 100 },
    nodeAffinity: { required: [aTerm('disk In ssd')], preferred: [] },
  }),
});
const running = (name: string, createdAt: number, cpu: number) =>
  aRunningPod({
    meta: { name, createdAt, owners: [ownedBy('DaemonSet')] },
    requests: { cpu },
    nodeAffinity: { required: [{ matchExpressions: [], hasMatchFields: true }], preferred: [] },
  });

describe('representativeDaemons', () => {
  it('lets the newest real pod speak, but for where it may run', () => {
    const pods = [running('a', NOON - 2, 200), running('b', NOON - 1, 300)];
    const [daemon] = representativeDaemons(
      aSnapshot({ daemonSets: [AGENT], nodes: [aStateNode({ pods })] }),
    );

    expect(daemon?.pod.requests.cpu).toBe(300);
    expect(daemon?.pod.nodeAffinity.required).toEqual([aTerm('disk In ssd')]);
  });

  it('makes do with the template where no pod of its own is there', () => {
    const pods = [
      { ...running('a', NOON, 200), meta: { ...running('a', NOON, 1).meta, owners: [] } },
    ];

    expect(
      representativeDaemons(aSnapshot({ daemonSets: [AGENT], nodes: [aStateNode({ pods })] })),
    ).toEqual([AGENT]);
  });
});
