import { OPERATORS, type RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import { REPLACEMENTS } from '#lib/model/labels.ts';
import type { NewNodeClaim, NodeClaim, NodeClaimSpec } from '#lib/model/node-claim.ts';
import type { NodeClassRef } from '#lib/model/node-pool.ts';
import type { DurationMs } from '#lib/model/time.ts';
import { objectIn } from './record.ts';

type Written = Readonly<Record<string, unknown>>;

const VERSION = 1;

/**
 * The annotation's value: the NodeClaims of a command in full, so that whoever comes after a crash
 * creates exactly those. A NodeClaim that lists 60 types takes 2 kB.
 */
export const writeReplacements = (claims: readonly NewNodeClaim[]): string =>
  JSON.stringify({ v: VERSION, claims });

/** The NodeClaims that a member of a command remembers; undefined where they cannot be read. */
export function replacementsOf({
  meta,
}: Pick<NodeClaim, 'meta'>): readonly NewNodeClaim[] | undefined {
  const { v, claims } = objectIn(meta.annotations[REPLACEMENTS]);
  return v === VERSION ? listOf(claims, newNodeClaimOf) : undefined;
}

function newNodeClaimOf(written: Written): NewNodeClaim | undefined {
  const labels = textsOf(written.labels);
  const annotations = textsOf(written.annotations);
  const owner = within(written.owner);
  const name = textOf(written.name);
  const ownerName = textOf(owner.name);
  const uid = textOf(owner.uid);
  const spec = specOf(within(written.spec));
  if (name === undefined || ownerName === undefined || uid === undefined) return undefined;
  if (!labels || !annotations || !spec) return undefined;
  return { name, labels, annotations, owner: { kind: 'NodePool', name: ownerName, uid }, spec };
}

function specOf(written: Written): NodeClaimSpec | undefined {
  const taints = listOf(written.taints, taintOf);
  const startupTaints = listOf(written.startupTaints, taintOf);
  const requirements = listOf(written.requirements, requirementSpecOf);
  const requests = amountsIn(written.requests);
  const nodeClassRef = nodeClassRefOf(within(written.nodeClassRef));
  const expireAfter = durationOf(written.expireAfter);
  const { terminationGraceMs } = written;
  if (!taints || !startupTaints || !requirements || !requests || !nodeClassRef) return undefined;
  if (expireAfter === undefined) return undefined;
  return {
    taints,
    startupTaints,
    requirements,
    requests,
    nodeClassRef,
    expireAfter,
    ...(typeof terminationGraceMs === 'number' && { terminationGraceMs }),
  };
}

function taintOf({ key, value, effect }: Written): Taint | undefined {
  const found = EFFECTS.find((each) => each === effect);
  if (typeof key !== 'string' || typeof value !== 'string' || !found) return undefined;
  return { key, value, effect: found };
}

const EFFECTS: readonly Taint['effect'][] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function requirementSpecOf(written: Written): RequirementSpec | undefined {
  const { key, operator, minValues } = written;
  const found = OPERATORS.find((each) => each === operator);
  const values = written.values === undefined ? [] : textListOf(written.values);
  if (typeof key !== 'string' || found === undefined || !values) return undefined;
  return {
    key,
    operator: found,
    ...(written.values !== undefined && { values }),
    ...(typeof minValues === 'number' && { minValues }),
  };
}

function nodeClassRefOf({ group, kind, name }: Written): NodeClassRef | undefined {
  const isWhole = typeof group === 'string' && typeof kind === 'string' && typeof name === 'string';
  return isWhole ? { group, kind, name } : undefined;
}

const durationOf = (value: unknown): DurationMs | undefined =>
  value === 'Never' || typeof value === 'number' ? value : undefined;

function amountsIn(value: unknown): Resources | undefined {
  const amounts: Record<string, number> = {};
  for (const [key, amount] of Object.entries(within(value))) {
    if (typeof amount !== 'number') return undefined;
    amounts[key] = amount;
  }
  return amounts;
}

function textsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  const texts: Record<string, string> = {};
  for (const [key, text] of Object.entries(within(value))) {
    if (typeof text !== 'string') return undefined;
    texts[key] = text;
  }
  return texts;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const within = (value: unknown): Written =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const textListOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;

/** The items of a list as `read` reads them; undefined where it is none, or one cannot be read. */
function listOf<Item>(
  value: unknown,
  read: (written: Written) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.flatMap((each) => read(within(each)) ?? []);
  return items.length === value.length ? items : undefined;
}
