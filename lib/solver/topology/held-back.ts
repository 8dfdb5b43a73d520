import { compareText } from '#lib/constraints/order.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Waiting } from '../pods/waiting.ts';
import type { AssignContext } from './assign.ts';
import { type Cell, cellsOf, createNarrowing } from './cells.ts';
import { describeSelector } from './describe.ts';
import type { TopologyRule, Whom } from './rule.ts';
import type { Part } from './rules.ts';

/**
 * What rules over domains say to pods that got no node, as part of a sentence about the pod: why
 * they may stand nowhere; or what leaves them only the `open` cells, where something else is missing.
 */
export type HeldBack =
  | { readonly kind: 'nowhere'; readonly because: string }
  | { readonly kind: 'only'; readonly because: string; readonly open: readonly Cell[] };

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
  const { namespace } = group.sample.meta;
  const cells = cellsOf(group, topology, sources);
  if (cells.length === 0) return { kind: 'nowhere', because: unknownKey(group, topology) };
  const allowed = topology.allowedTo(group.sample);
  const judged = cells.map((cell) => ({
    cell,
    objection: census.objection(parts, cell.place, allowed),
  }));
  const open = judged.flatMap(({ cell, objection }) => (objection ? [] : [cell]));
  const objections = new Set(judged.flatMap(({ objection }) => objection ?? []));
  if (open.length === 0) {
    const because = [...objections].map((part) => describePart(part, namespace)).join('; ');
    return { kind: 'nowhere', because };
  }
  const owned = parts.filter(({ owns }) => owns);
  const deciding = objections.size > 0 ? [...objections] : owned.length > 0 ? owned : parts;
  const names = [...new Set(deciding.map(nameOfRule))].join(' and ');
  const verb = deciding.length > 1 ? 'leave' : 'leaves';
  return { kind: 'only', because: `${names} ${verb} only ${namesOf(open)}`, open };
}

/** Domains named in one sentence; more are counted. */
const NAMED_CELLS = 4;

function namesOf(cells: readonly Cell[]): string {
  const names = [...new Set(cells.map(nameOf))];
  const more = names.length - NAMED_CELLS;
  const told = names.slice(0, NAMED_CELLS);
  return more > 0 ? `${told.join(', ')} and ${more} more` : told.join(' or ');
}

/** The values alone say which keys are meant, mostly: us-east-1a, spot with us-east-1a. */
function nameOf({ values }: Cell): string {
  const present = values.filter((value) => !value.startsWith('!'));
  return present.length > 0
    ? present.map((value) => value.slice(value.indexOf('=') + 1)).join(' with ')
    : `nodes without ${values.map((value) => value.slice(1)).join(' and ')}`;
}

/** Cells that are looked into for a reason; further ones say the same, mostly. */
const MOST_EXPLAINED = 8;

/** The group as it is where rules over domains let it be: it asks for one of the cells. */
export function confinedTo(group: PodGroup, cells: readonly Cell[]): PodGroup {
  const narrowing = createNarrowing();
  const inCells = cells
    .slice(0, MOST_EXPLAINED)
    .map((cell) => narrowing.levelsIn(group.levels, cell));
  const levels = group.levels.map(({ givenUp }, at) => ({
    givenUp,
    asks: inCells.flatMap((each) => each[at]?.asks ?? []),
  }));
  return { ...group, levels };
}

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
    ? `${nameOfRule(missing)} needs nodes with that label: no node has it and no NodePool gives it`
    : `its node selector and required node affinity allow no value of ${key} that nodes have or could have`;
}

/** What a rule that let a pod of `namespace` in nowhere says, as a sentence about the pod. */
export function describePart({ rule, owns }: Part, namespace: string): string {
  const { kind, topologyKey, maxSkew, minDomains } = rule;
  const pods = `pods with ${describeWhom(rule, namespace)}`;
  const [where, domain] = topologyKey === HOSTNAME ? ['on', 'node'] : ['in', topologyKey];
  const minimum = minDomains > 1 ? `, minDomains ${minDomains}` : '';
  switch (kind) {
    case 'spread':
      return `its topology spread over ${topologyKey} (${pods}, maxSkew ${maxSkew}${minimum}) has no room for one more in any domain`;
    case 'affinity':
      return `its required pod affinity finds no ${pods} ${where} any ${domain} where it could be`;
    case 'antiAffinity':
      return owns
        ? `its required pod anti-affinity keeps it away from ${pods}, and they are ${where} every ${domain} where it could be`
        : `pods whose required pod anti-affinity keeps ${pods} away are ${where} every ${domain} where it could be`;
  }
}

const describeWhom = ({ whom }: TopologyRule, namespace: string): string =>
  whom
    .map((each) => `${describeSelector(each.selector)}${describeNamespaces(each, namespace)}`)
    .join(' and ');

/** Where pods are looked for; the pod's own namespace goes without saying. */
function describeNamespaces({ namespaces }: Whom, own: string): string {
  if (namespaces === 'all') return ' in any namespace';
  if (namespaces.size === 0) return ' in no namespace';
  if (namespaces.size === 1 && namespaces.has(own)) return '';
  return ` in namespace ${[...namespaces].sort(compareText).join(' or ')}`;
}

const nameOfRule = ({ rule: { kind, topologyKey }, owns }: Part): string => {
  const rule = { spread: 'topology spread', affinity: 'pod affinity', antiAffinity: ANTI }[kind];
  return owns ? `its ${rule} over ${topologyKey}` : `the ${rule} of other pods over ${topologyKey}`;
};

const ANTI = 'pod anti-affinity';
