import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import {
  aBoundClaim,
  aCsiNode,
  aStorageClass,
  aVolume,
  aVolumeClaim,
  inZones,
} from '#test/build/volumes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const TYPE = { 'node.kubernetes.io/instance-type': 'm5.large' };
const onClaim = (claimName: string, difference: Parameters<typeof aPod>[0] = {}): Pod =>
  aPod({ ...difference, volumes: [{ volume: 'data', claimName }] });
const inZone = (zone: string, name = 'data'): Partial<Snapshot> => ({
  persistentVolumeClaims: [aBoundClaim({ meta: { name } })],
  persistentVolumes: [aVolume({ meta: { name: `pv-${name}` }, nodeAffinity: inZones(zone) })],
});
/** The zones that new claims are made in. */
const zonesOf = (snapshot: Snapshot) =>
  place(snapshot).creations.flatMap((action) =>
    action.kind === 'createNodeClaim'
      ? [action.claim.spec.requirements.find(({ key }) => key === ZONE)?.values]
      : [],
  );

describe('place, for pods with volumes', () => {
  it('makes the node where the volume is', () => {
    expect(zonesOf(aSnapshot({ pods: [onClaim('data')], ...inZone('us-east-1c') }))).toEqual([
      ['us-east-1c'],
    ]);
  });

  it('makes the node in one of the zones that the class allows', () => {
    const allowedTopologies = [
      [{ key: ZONE, values: ['us-east-1x'] }],
      [{ key: ZONE, values: ['us-east-1b'] }],
    ];
    const objects = {
      persistentVolumeClaims: [aVolumeClaim()],
      storageClasses: [aStorageClass({ allowedTopologies })],
    };

    expect(zonesOf(aSnapshot({ pods: [onClaim('data')], ...objects }))).toEqual([['us-east-1b']]);
  });

  it('uses a node that is there only where it stands in the zone of the volume', () => {
    const nodes = [aStateNode({ node: aNode() })];

    const near = place(aSnapshot({ nodes, pods: [onClaim('data')], ...inZone('us-east-1a') }));
    const far = place(aSnapshot({ nodes, pods: [onClaim('data')], ...inZone('us-east-1b') }));

    expect(near.placements).toHaveLength(1);
    expect(far.claims).toHaveLength(1);
  });

  it('gives up wishes for the sake of a volume, never the other way round', () => {
    const wish = {
      weight: 1,
      term: {
        matchExpressions: [{ key: ZONE, operator: 'In' as const, values: ['us-east-1a'] }],
        hasMatchFields: false,
      },
    };
    const pod = onClaim('data', { nodeAffinity: { required: [], preferred: [wish] } });

    expect(zonesOf(aSnapshot({ pods: [pod], ...inZone('us-east-1b') }))).toEqual([['us-east-1b']]);
  });

  it('packs pods together whose different volumes are in one zone', () => {
    const names = ['one', 'two', 'three'];
    const objects = {
      persistentVolumeClaims: names.map((name) => aBoundClaim({ meta: { name } })),
      persistentVolumes: names.map((name) =>
        aVolume({ meta: { name: `pv-${name}` }, nodeAffinity: inZones('us-east-1b') }),
      ),
    };
    const pods = names.map((name) => onClaim(name, { meta: { name }, requests: { cpu: 100 } }));

    expect(place(aSnapshot({ pods, ...objects })).claims).toHaveLength(1);
  });

  describe('where nodes limit how many volumes they have attached', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const claims = names.flatMap((name) => [
      aVolumeClaim({ meta: { name: `${name}-1` } }),
      aVolumeClaim({ meta: { name: `${name}-2` } }),
    ]);
    const objects = {
      nodes: [aStateNode()],
      persistentVolumeClaims: claims,
      storageClasses: [aStorageClass()],
      csiNodes: [aCsiNode('node-1', 10)],
    };
    const tiny = (name: string, ...volumes: string[]): Pod =>
      aPod({
        meta: { name },
        requests: { cpu: 10 },
        volumes: volumes.map((claimName) => ({ volume: claimName, claimName })),
      });
    const pairs = names.map((name) => tiny(name, `${name}-1`, `${name}-2`));

    it('fills a node up to its limit, and makes another for the rest', () => {
      const { placements, claims: made } = place(aSnapshot({ ...objects, pods: pairs }));

      expect(placements).toHaveLength(5);
      expect(made).toHaveLength(1);
    });

    it('does not limit volumes of other drivers, nor where the driver says nothing', () => {
      const storageClasses = [aStorageClass({ provisioner: 'efs.csi.aws.com' })];

      expect(place(aSnapshot({ ...objects, storageClasses, pods: pairs })).placements).toHaveLength(
        6,
      );
      expect(place(aSnapshot({ ...objects, csiNodes: [], pods: pairs })).placements).toHaveLength(
        6,
      );
    });

    it('counts a claim that many pods share once', () => {
      const pods = Array.from({ length: 20 }, (_, at) => tiny(`web-${at}`, 'a-1'));
      const csiNodes = [aCsiNode('node-1', 1)];

      expect(place(aSnapshot({ ...objects, csiNodes, pods })).placements).toHaveLength(20);
    });

    it('makes as many nodes as their types take volumes, as nodes of these types tell', () => {
      const pods = pairs.map((pod) => ({ ...pod, nodeSelector: TYPE }));
      const csiNodes = [aCsiNode('node-1', 4)];
      const { placements, claims: made } = place(aSnapshot({ ...objects, csiNodes, pods }));

      expect(placements).toHaveLength(2);
      expect(made.map((claim) => claim.pods.length)).toEqual([2, 2]);
    });

    it('says so of a pod that has more volumes than any node takes', () => {
      const pods = [{ ...tiny('a', 'a-1', 'a-2'), nodeSelector: TYPE }, tiny('b', 'b-1')];
      const csiNodes = [aCsiNode('node-1', 1)];
      const { placements, refused } = place(aSnapshot({ ...objects, csiNodes, pods }));

      expect(placements).toMatchObject([{ pod: 'default/b' }]);
      expect(refused).toMatchObject([
        {
          pod: 'default/a',
          by: 'volumes',
          because: expect.stringMatching(
            /it has more volumes than one node may have attached: the largest of the pool takes 1 \(m5\.large\)$/,
          ),
        },
      ]);
    });
  });

  it('refuses a pod whose volumes no zone of the pool has, and places the others', () => {
    const pods = [onClaim('data', { meta: { name: 'db' } }), aPod()];
    const { refused, claims } = place(aSnapshot({ pods, ...inZone('eu-west-1a') }));

    expect(refused).toMatchObject([
      {
        pod: 'default/db',
        by: 'requirements',
        because: expect.stringContaining('has topology.kubernetes.io/zone In [eu-west-1a]'),
      },
    ]);
    expect(claims.flatMap((claim) => claim.pods)).toEqual(['default/web-1']);
  });

  it('tells the place of the volumes from what the pod asks for', () => {
    const nodePools = [aNodePool({ template: { requirements: [spec(`${ZONE} In us-east-1a`)] } })];
    const { refused } = place(
      aSnapshot({ nodePools, pods: [onClaim('data')], ...inZone('us-east-1b') }),
    );

    expect(refused[0]?.because).toContain(
      `its volumes can only be in ${ZONE} In [us-east-1b], the pool gives ${ZONE} In [us-east-1a]`,
    );
  });

  it('refuses a pod that has to move where its volume cannot be looked up', () => {
    const going = aStateNode({
      node: aNode({ meta: { deletedAt: NOON } }),
      pods: [aRunningPod({ volumes: [{ volume: 'data', claimName: 'data' }] })],
    });
    const { claim, ...rest } = going;
    const leaving = {
      ...rest,
      ...(claim && { claim: { ...claim, meta: { ...claim.meta, deletedAt: NOON } } }),
    };

    expect(place(aSnapshot({ nodes: [leaving] })).refused).toMatchObject([
      { pod: 'default/web-1', by: 'volumes' },
    ]);
  });
});
