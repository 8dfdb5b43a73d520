import { isProvisionable } from '#lib/consent/pods.ts';
import type { ClusterFigures } from '#lib/model/cluster-figures.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { isGoing } from '#lib/solver/hosts/hosts.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import { overlaid } from '#lib/solver/overlays/overlay.ts';
import { sumOfUsd } from './plan-parts.ts';

/** What the cluster of a Snapshot comes to; of its nodes those of NodeClaims. */
export function clusterFigures(seen: Snapshot): ClusterFigures {
  const { snapshot } = overlaid(seen);
  const nodes = snapshot.nodes.filter((each) => each.claim !== undefined && !isGoing(each));
  return {
    nodes: nodes.length,
    usdPerHour: sumOfUsd(nodes.map((each) => priceOfNode(each, snapshot.catalog) ?? 0)),
    pendingPods: snapshot.pods.filter((pod) => isProvisionable(pod)).length,
  };
}
