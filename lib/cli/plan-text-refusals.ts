import { compareText } from '#lib/constraints/order.ts';
import type { Refusal } from '#lib/model/plan.ts';

/** Lines of one part beyond these are only counted. */
export const MOST_ROWS = 50;
/** Names in one line beyond these are only counted. */
const MOST_NAMES = 3;
/** Reasons of NodePools under one reason of pods. */
const MOST_POOLS = 10;

/** "1 pod", "5 pods". */
export const podsText = (count: number): string => (count === 1 ? '1 pod' : `${count} pods`);

/** The first of `lines`, and how many more there are of what they are. */
export function someOf(lines: readonly string[], what: string): readonly string[] {
  if (lines.length <= MOST_ROWS) return lines;
  return [...lines.slice(0, MOST_ROWS), `and ${lines.length - MOST_ROWS} more ${what}`];
}

/** The first names, and how many there are in all. Example: "12 (a, b, c, …)". */
export const someNames = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.length} (${names.slice(0, MOST_NAMES).join(', ')}, …)`;

/** Pods that are refused for the same reason in one line, the most frequent reason first. */
export function refusalsText(refused: readonly Refusal[]): readonly string[] {
  const groups = [
    ...Map.groupBy(refused, ({ because, nodePools }) =>
      JSON.stringify([because, nodePools]),
    ).values(),
  ].sort((a, b) => b.length - a.length || compareText(a[0]?.pod ?? '', b[0]?.pod ?? ''));
  const others = groups.slice(MOST_ROWS);
  const rest = others.reduce((sum, members) => sum + members.length, 0);
  return [
    ...groups.slice(0, MOST_ROWS).flatMap(groupText),
    ...(rest > 0 ? [`and ${podsText(rest)} for ${others.length} other reasons`] : []),
  ];
}

function groupText(members: readonly Refusal[]): readonly string[] {
  const [first] = members;
  if (!first) return [];
  const names = members.slice(0, MOST_NAMES).map(({ pod }) => pod);
  const more = members.length > MOST_NAMES ? ', …' : '';
  const who = `${podsText(members.length)} (${names.join(', ')}${more})`;
  const { because, nodePools } = first;
  if (nodePools.length < 2) return [`${who}: ${because}`];
  const left = nodePools.length - MOST_POOLS;
  return [
    `${who}: ${because.split(': NodePool ')[0]}`,
    ...nodePools.slice(0, MOST_POOLS).map((each) => `  NodePool ${each.nodePool}: ${each.because}`),
    ...(left > 0 ? [`  and ${left} more NodePools`] : []),
  ];
}
