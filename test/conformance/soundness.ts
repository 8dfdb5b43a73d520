/**
 * Whether a placing can be believed, judged from Kubernetes' rules alone. It shares no code with
 * the solver: labels are plain values here, requirements are asked value by value, and every node
 * that a NodeClaim could become is built and filled.
 */
import type { Placing } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { affinityProblems, antiAffinityProblems } from './soundness/apart.ts';
import { claimProblems } from './soundness/claims.ts';
import { hostProblems } from './soundness/hosts.ts';
import { limitProblems, reservationProblems, weightProblems } from './soundness/limits.ts';
import { placesOf } from './soundness/places.ts';
import { refusalProblems } from './soundness/refusals.ts';
import { isAlive, isLeaving, nameOf } from './soundness/rules.ts';
import { spreadProblems } from './soundness/spread.ts';
import { volumeProblems } from './soundness/volumes.ts';
import { wishProblems } from './soundness/wishes.ts';

/** Everything that is wrong with a placing, in words; empty for a sound one. */
export function unsoundness(snapshot: Snapshot, placing: Placing): readonly string[] {
  const pods = new Map(
    [...snapshot.nodes.flatMap((node) => node.pods), ...snapshot.pods].map((pod) => [
      nameOf(pod),
      pod,
    ]),
  );
  const planned = new Set(placing.claims.map(({ name }) => name));
  const places = placesOf(snapshot, placing, pods);
  return [
    ...onceEach(snapshot, placing),
    ...placing.claims.flatMap((claim) => claimProblems(snapshot, placing, claim, pods)),
    ...placing.creations.flatMap((action) =>
      action.kind === 'createNodeClaim' && !planned.has(action.claim.name)
        ? [`${action.claim.name} is created but not planned`]
        : [],
    ),
    ...hostProblems(snapshot, placing, pods),
    ...antiAffinityProblems(snapshot, places),
    ...affinityProblems(snapshot, places),
    ...spreadProblems(snapshot, places),
    ...volumeProblems(snapshot, places),
    ...wishProblems(snapshot, placing, places),
    ...limitProblems(snapshot, placing),
    ...reservationProblems(snapshot, placing),
    ...weightProblems(snapshot, placing, pods),
    ...refusalProblems(snapshot, placing, pods),
    ...priceProblems(placing),
  ];
}

/** Every pod that waits or must move is placed or refused, once, and no other pod. */
function onceEach(snapshot: Snapshot, placing: Placing): readonly string[] {
  const told = [
    ...placing.claims.flatMap(({ pods }) => pods),
    ...placing.placements.map(({ pod }) => pod),
    ...placing.refused.map(({ pod }) => pod),
  ];
  const counts = new Map<string, number>();
  for (const pod of told) counts.set(pod, (counts.get(pod) ?? 0) + 1);
  const waiting = snapshot.pods.filter((pod) => waits(pod, snapshot));
  const moving = snapshot.nodes.filter(isLeaving).flatMap(({ pods }) => pods.filter(mayMove));
  const mayBeTold = new Set([...waiting, ...moving].map(nameOf));
  const budgets = snapshot.podDisruptionBudgets.length > 0;
  const must = [...waiting, ...moving.filter((pod) => !budgets && !isProtected(pod))];
  return [
    ...[...counts].filter(([, count]) => count > 1).map(([pod]) => `${pod} is told of twice`),
    ...must.filter((pod) => !counts.has(nameOf(pod))).map((pod) => `${nameOf(pod)} is forgotten`),
    ...told.filter((pod) => !mayBeTold.has(pod)).map((pod) => `${pod} should be left alone`),
    ...placing.refused
      .filter(({ because }) => because === '' || because.length > 1024)
      .map(({ pod }) => `${pod} is refused without a reason that an Event could carry`),
  ];
}

const waits = (pod: Pod, { nodes }: Snapshot): boolean =>
  pod.scheduled?.reason === 'Unschedulable' &&
  !pod.nodeName &&
  !nodes.some(
    (host) =>
      !isLeaving(host) && [host.name, host.claim?.meta.name].includes(pod.nominatedNodeName ?? ''),
  ) &&
  !isTied(pod);

const isTied = ({ meta }: Pod): boolean =>
  meta.owners.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');

const mayMove = (pod: Pod): boolean =>
  !isTied(pod) &&
  (pod.meta.deletedAt === undefined
    ? isAlive(pod)
    : pod.meta.owners.some(({ kind }) => kind === 'StatefulSet'));

const isProtected = ({ meta }: Pod): boolean =>
  meta.annotations['karpenter.sh/do-not-disrupt'] !== undefined;

function priceProblems(placing: Placing): readonly string[] {
  const total = placing.claims.reduce((all, { usdPerHour }) => all + usdPerHour, 0);
  const problems: string[] = [];
  if (Math.abs(total - placing.usdPerHour) > 1e-9) problems.push('the sum of prices is wrong');
  if (!(placing.lowerBoundUsdPerHour <= placing.usdPerHour + 1e-9)) {
    problems.push('the lower bound is above the price');
  }
  return problems;
}
