import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { PodGroup } from '../pod-groups.ts';
import type { Waiting } from '../waiting.ts';
import type { AssignContext } from './assign.ts';
import { type Cell, cellsOf, createNarrowing } from './cells.ts';
import { describeSelector } from './describe.ts';
import type { TopologyRule } from './rule.ts';

/**
 * What rules over domains say to pods that got no node: that they may stand nowhere; or only in
 * `cell`, where the same pods, as `narrowed`, are refused for other reasons.
 */
export type HeldBack =
  | { readonly rejection: Rejection }
  | { readonly narrowed: PodGroup; readonly only: string };

/** Those among `waiting` that have rules over domains and pods left, and why. */
export function heldBackAmong(
  waiting: readonly Waiting[],
  context: AssignContext,
): ReadonlyMap<PodGroup, HeldBack> {
  return new Map(
    waiting
      .filter(({ left, group }) => left.length > 0 && group.standing.byDomain.length > 0)
      .map(({ group }) => [group, heldBack(group, context)] as const),
  );
}

function heldBack(group: PodGroup, { topology, census, sources }: AssignContext): HeldBack {
  const parts = group.standing.byDomain;
  const cells = cellsOf(group, topology, sources);
  if (cells.length === 0) return { rejection: reject('topology', unknownKey(group, topology)) };
  const allowed = topology.allowedTo(group.sample);
  const judged = cells.map((cell) => ({
    cell,
    objection: census.objection(parts, cell.place, allowed),
  }));
  const open = judged.filter(({ objection }) => objection === undefined);
  const [first] = open;
  if (!first) {
    const rules = new Set(judged.flatMap(({ objection }) => (objection ? [objection.rule] : [])));
    const because = [...rules].map((rule) => describeRule(rule)).join('; ');
    return { rejection: reject('topology', because) };
  }
  const levels = createNarrowing().levelsIn(group.levels, first.cell);
  return {
    narrowed: { ...group, levels },
    only: `its topology rules leave only ${open.map(({ cell }) => nameOf(cell)).join(', ')}`,
  };
}

const nameOf = ({ text }: Cell): string => text.replaceAll(/\S+=/g, '').replaceAll(' ', ' with ');

function unknownKey(
  { standing }: PodGroup,
  { valuesOf }: Pick<AssignContext['topology'], 'valuesOf'>,
): string {
  const missing = standing.byDomain.find(
    ({ rule, owns }) => owns && valuesOf(rule.topologyKey).length === 0,
  );
  const [any] = standing.byDomain;
  const key = missing?.rule.topologyKey ?? any?.rule.topologyKey ?? '';
  return missing
    ? `no node has the label ${key} and no NodePool makes nodes with it, which its ${nameOfRule(missing.rule)} is over`
    : `its node selector and required node affinity allow no value of ${key} that nodes have or could have`;
}

/** What a rule that let a pod in nowhere asks for, as a sentence about the pod. */
export function describeRule(rule: TopologyRule): string {
  const { kind, topologyKey, maxSkew } = rule;
  const whom = rule.whom.map(({ selector }) => describeSelector(selector)).join(' and ');
  const domain = topologyKey === HOSTNAME ? 'node' : topologyKey;
  switch (kind) {
    case 'spread':
      return `its topology spread over ${topologyKey} (${whom}, maxSkew ${maxSkew}) is violated wherever a node could be`;
    case 'affinity':
      return `its required pod affinity finds no pod with ${whom} in any ${domain} where it could be`;
    case 'antiAffinity':
      return `required pod anti-affinity over ${topologyKey} (${whom}) keeps it out of every ${domain} where it could be`;
  }
}

const nameOfRule = ({ kind }: TopologyRule): string =>
  ({ spread: 'topology spread', affinity: 'pod affinity', antiAffinity: 'pod anti-affinity' })[
    kind
  ];
