import { describe, expect, it } from 'vitest';
import { classesOf } from '#lib/solver/prices/demand-classes.ts';
import { GIB } from '#test/build/objects.ts';
import { somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const ZONE = 'topology.kubernetes.io/zone';

const inZone = (zone: string, cpu: number) =>
  somePods(2, {
    meta: { name: zone },
    nodeSelector: { [ZONE]: zone },
    requests: { cpu, memory: GIB },
  });

describe('classesOf', () => {
  it('counts pods together that ask the same for the same amounts, whatever else parts them', () => {
    const requests = { cpu: 500, memory: GIB };
    const onPort = (port: number) =>
      somePods(port, {
        meta: { name: `port-${port}` },
        requests,
        hostPorts: [{ ip: '0.0.0.0', port, protocol: 'TCP' }],
      });
    const { demands } = solverParts(aSnapshot({ pods: [...onPort(3), ...onPort(4)] }));

    expect(demands).toHaveLength(2);
    expect(classesOf(demands).map(({ lots }) => lots.map(({ count }) => count))).toEqual([[7]]);
  });

  it('keeps those apart that ask for other nodes', () => {
    const pods = [...inZone('us-east-1a', 500), ...inZone('us-east-1b', 500)];
    const { demands } = solverParts(aSnapshot({ pods }));

    expect(classesOf(demands)).toHaveLength(2);
  });
});
