import type { KubeTransport } from '#lib/kube/transport.ts';
import { aSmallCluster, type SmallCluster } from './small-cluster.ts';

/** An embedded API server, as an adapter speaks to it. */
export interface ApiBench extends SmallCluster {
  readonly kube: KubeTransport;
  readonly now: () => number;
  /** Lets time pass until `work` is done, and gives what it came to. */
  readonly through: <Value>(work: Promise<Value>) => Promise<Value>;
}

/** An embedded cluster without nodes in which Joinery is installed, and a transport into it. */
export function anApi(): ApiBench {
  const small = aSmallCluster();
  small.cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'joinery' } });
  const { clock } = small;
  const through: ApiBench['through'] = async (work) => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    await clock.run(() => isSettled, clock.now() + 3_600_000);
    return await work;
  };
  return {
    ...small,
    kube: small.cluster.transport('adapter'),
    now: clock.now,
    through,
    // Time passes even where nothing else is going to happen.
    wait: (seconds) => through(clock.sleep(seconds * 1_000)),
  };
}
