import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Placing, place } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { aMeta } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { aBoundClaim, aCsiNode, aVolume, inZones } from '#test/build/volumes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const CLAIMS = ['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7'];

const onClaims = (make: typeof aPod, name: string, claims: readonly string[]): Pod =>
  make({
    meta: { name },
    requests: { cpu: 10 },
    volumes: claims.map((claimName) => ({ volume: claimName, claimName })),
  });

const someClaims = fc.uniqueArray(fc.constantFrom(...CLAIMS), { minLength: 1, maxLength: 3 });
const aCluster = fc.record({
  /** Of each claim, the zones in which its volume can be. */
  places: fc.array(fc.uniqueArray(fc.constantFrom(...ZONES), { minLength: 1, maxLength: 2 }), {
    minLength: CLAIMS.length,
    maxLength: CLAIMS.length,
  }),
  nodes: fc.array(
    fc.record({
      zone: fc.constantFrom(...ZONES),
      limit: fc.integer({ min: 0, max: 4 }),
      running: fc.array(someClaims, { maxLength: 2 }),
      attached: fc.uniqueArray(fc.constantFrom(...CLAIMS), { maxLength: 1 }),
    }),
    { maxLength: 3 },
  ),
  pending: fc.array(someClaims, { minLength: 1, maxLength: 8 }),
});
type Cluster = typeof aCluster extends fc.Arbitrary<infer Value> ? Value : never;

function snapshotOf({ places, nodes, pending }: Cluster): Snapshot {
  return aSnapshot({
    pods: pending.map((claims, at) => onClaims(aPod, `web-${at}`, claims)),
    nodes: nodes.map(({ zone, running }, at) =>
      aStateNode({
        node: aNode({
          meta: { name: `node-${at}`, labels: { [ZONE]: zone } },
          providerId: `aws:///${zone}/i-${at}`,
        }),
        pods: running.map((claims, nth) => ({
          ...onClaims(aRunningPod, `old-${at}-${nth}`, claims),
          nodeName: `node-${at}`,
        })),
      }),
    ),
    csiNodes: nodes.map(({ limit }, at) => aCsiNode(`node-${at}`, limit)),
    volumeAttachments: nodes.flatMap(({ attached }, at) =>
      attached.map((claim) => ({
        meta: aMeta(`${claim}-on-${at}`),
        nodeName: `node-${at}`,
        persistentVolumeName: `pv-${claim}`,
      })),
    ),
    persistentVolumeClaims: CLAIMS.map((name) => aBoundClaim({ meta: { name } })),
    persistentVolumes: CLAIMS.map((name, at) =>
      aVolume({
        meta: { name: `pv-${name}` },
        claim: { namespace: 'default', name },
        nodeAffinity: inZones(...(places[at] ?? [])),
      }),
    ),
  });
}

const zonesFor = ({ places }: Cluster, claims: readonly string[]): readonly string[] =>
  ZONES.filter((zone) => claims.every((name) => places[CLAIMS.indexOf(name)]?.includes(zone)));
const claimsOf = ({ pending }: Cluster, pod: string): readonly string[] =>
  pending[Number(pod.replace('default/web-', ''))] ?? [];

/** By node: the volumes that its pods, old and new, have attached there. */
function attachedOn(cluster: Cluster, placing: Placing, at: number): ReadonlySet<string> {
  const { running = [], attached = [] } = cluster.nodes[at] ?? {};
  const coming = placing.placements.filter(({ node }) => node === `node-${at}`);
  return new Set([
    ...running.flat(),
    ...attached,
    ...coming.flatMap(({ pod }) => claimsOf(cluster, pod)),
  ]);
}

const zonesOfClaim = (placing: Placing, name: string): readonly string[] =>
  placing.creations.flatMap((action) =>
    action.kind === 'createNodeClaim' && action.claim.name === name
      ? (action.claim.spec.requirements.find(({ key }) => key === ZONE)?.values ?? ZONES)
      : [],
  );

describe('placing pods with volumes', () => {
  it('puts every pod where all its volumes can be, and refuses only those that fit nowhere', () => {
    fc.assert(
      fc.property(aCluster, (cluster) => {
        const placing = place(snapshotOf(cluster));

        for (const { pod, node = '' } of placing.placements) {
          const zone = cluster.nodes[Number(node.replace('node-', ''))]?.zone;
          expect(zonesFor(cluster, claimsOf(cluster, pod))).toContain(zone);
        }
        for (const { name, pods } of placing.claims) {
          const zones = zonesOfClaim(placing, name);
          expect(zones.length).toBeGreaterThan(0);
          for (const pod of pods) {
            expect(zonesFor(cluster, claimsOf(cluster, pod))).toEqual(
              expect.arrayContaining([...zones]),
            );
          }
        }
        expect(placing.refused.map(({ pod }) => pod)).toEqual(
          cluster.pending.flatMap((claims, at) =>
            zonesFor(cluster, claims).length === 0 ? [`default/web-${at}`] : [],
          ),
        );
      }),
    );
  });

  it('attaches no more to a node than it takes, and no less than it could', () => {
    fc.assert(
      fc.property(aCluster, (cluster) => {
        const placing = place(snapshotOf(cluster));

        for (const [at, { zone, limit }] of cluster.nodes.entries()) {
          const coming = placing.placements.filter(({ node }) => node === `node-${at}`);
          const attached = attachedOn(cluster, placing, at);
          if (coming.length > 0) expect(attached.size).toBeLessThanOrEqual(limit);
          for (const pod of placing.claims.flatMap(({ pods }) => pods)) {
            const claims = claimsOf(cluster, pod);
            if (!zonesFor(cluster, claims).includes(zone)) continue;
            expect(new Set([...attached, ...claims]).size).toBeGreaterThan(limit);
          }
        }
      }),
    );
  });

  it('does not depend on the order in which anything stands', () => {
    fc.assert(
      fc.property(aCluster, (cluster) => {
        const snapshot = snapshotOf(cluster);
        const reversed = {
          ...snapshot,
          pods: snapshot.pods.toReversed(),
          nodes: snapshot.nodes.toReversed(),
          csiNodes: snapshot.csiNodes.toReversed(),
          volumeAttachments: snapshot.volumeAttachments.toReversed(),
          persistentVolumeClaims: snapshot.persistentVolumeClaims.toReversed(),
          persistentVolumes: snapshot.persistentVolumes.toReversed(),
        };

        expect(JSON.stringify(place(reversed))).toBe(JSON.stringify(place(snapshot)));
      }),
    );
  });
});
