import { compareText } from '#lib/constraints/order.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { Action, Kept, Plan } from '#lib/model/plan.ts';
import { dollars, newNodesText } from './plan-text-nodes.ts';
import { MOST_ROWS, podsText, refusalsText, someNames, someOf } from './plan-text-refusals.ts';

/**
 * A plan for people, line by line: the nodes to be, what goes on nodes that are there, who is
 * refused and why, what it costs, and what would be done next. What is alike stands in one line,
 * and no part is longer than a screen or two, however many pods there are.
 */
export function planText(plan: Plan, catalog: Catalog): readonly string[] {
  return [
    `Plan: ${plan.decision} at ${plan.takenAt}`,
    '',
    ...newNodesText(plan.nodeClaims, catalog),
    ...section('On nodes that are there', placed(plan)),
    ...section('Room for CapacityBuffers', buffers(plan)),
    ...section('Nodes to go', leaving(plan)),
    ...section('Nodes that stay', staying(plan.kept)),
    ...section(`Refused (${podsText(plan.refused.length)})`, refusalsText(plan.refused)),
    ...saved(plan),
    ...total(plan, catalog),
    ...section('Warnings', someOf(plan.warnings, 'warnings')),
    ...section('Next', next(plan)),
  ].slice(0, -1);
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ''];

/** How many pods go where, the nodes that take most first where there are too many to name. */
function placed({ placements }: Plan): readonly string[] {
  const counts = new Map<string, number>();
  for (const { node, nodeClaim } of placements) {
    const name = node ?? `${nodeClaim} (on its way)`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const fullest = [...counts].sort(([a, as], [b, bs]) => bs - as || compareText(a, b));
  const shown = fullest.slice(0, MOST_ROWS).sort(([a], [b]) => compareText(a, b));
  const others = fullest.slice(MOST_ROWS);
  const rest = others.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...shown.map(([name, count]) => `${name}: ${podsText(count)}`),
    ...(rest > 0 ? [`and ${others.length} more nodes: ${podsText(rest)}`] : []),
  ];
}

const buffers = ({ buffers: list = [] }: Plan): readonly string[] =>
  someOf(
    list.map(({ buffer, replicas, onNodes, onNewNodes, refused, because }) => {
      const parts = [
        ...(onNodes > 0 ? [`${onNodes} on nodes that are there`] : []),
        ...(onNewNodes > 0 ? [`${onNewNodes} on new nodes`] : []),
        ...(refused > 0 ? [`${refused} nowhere`] : []),
      ];
      const where = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
      return `${buffer}: ${podsText(replicas)}${where}${because === undefined ? '' : ` (${because})`}`;
    }),
    'CapacityBuffers',
  );

const leaving = ({ commands }: Plan): readonly string[] =>
  someOf(
    commands.map(({ reason, remove, replaceWith, podsMoved, savesUsdPerHour }) => {
      const instead = replaceWith.length === 0 ? '' : `, replaced by ${someNames(replaceWith)}`;
      const moved = podsMoved === 0 ? '' : `, moves ${podsText(podsMoved)}`;
      return `${remove.join(', ')}: ${reason}${instead}${moved}, ${savingText(savesUsdPerHour)}`;
    }),
    'commands',
  );

/** What is replaced whatever it costs may cost more afterwards. */
const savingText = (usdPerHour: number): string =>
  usdPerHour < 0 ? `costs $${dollars(-usdPerHour)}/h more` : `saves $${dollars(usdPerHour)}/h`;

/** Nodes that stay for the same reason are told of together. */
const staying = (kept: readonly Kept[]): readonly string[] =>
  someOf(
    [...Map.groupBy(kept, ({ because }) => because)].map(
      ([because, members]) => `${someNames(members.map(({ node }) => node))}: ${because}`,
    ),
    'reasons',
  );

/** What all commands come to. */
function saved({ commands }: Plan): readonly string[] {
  if (commands.length < 2) return [];
  const sum = (amountOf: (command: Plan['commands'][number]) => number): number =>
    commands.reduce((total, command) => total + amountOf(command), 0);
  const saving = savingText(sum(({ savesUsdPerHour }) => savesUsdPerHour));
  const gone = sum(({ remove }) => remove.length);
  const made = sum(({ replaceWith }) => replaceWith.length);
  const moved = podsText(sum(({ podsMoved }) => podsMoved));
  return [
    `All this ${saving} (${gone} nodes go, ${made} ${made === 1 ? 'is' : 'are'} made, ${moved} moved)`,
    '',
  ];
}

/** "$1.9200/h, at most 2.1 % above the cheapest possible", and whether prices are estimates. */
function total(plan: Plan, catalog: Catalog): readonly string[] {
  if (plan.nodeClaims.length === 0) return [];
  const { usdPerHour, lowerBoundUsdPerHour } = plan;
  const above = (usdPerHour / lowerBoundUsdPerHour - 1) * 100;
  const bound =
    lowerBoundUsdPerHour > 0
      ? `at most ${Math.round(Math.max(0, above) * 10) / 10} % above the cheapest possible`
      : 'how near that is to the cheapest possible is not known';
  const usesSpot = plan.nodeClaims.some(({ cheapest }) => cheapest.capacityType === 'spot');
  const estimates = usesSpot && catalog.spotPricesAreEstimates ? '; spot prices are estimates' : '';
  return [
    `Total: $${dollars(usdPerHour)}/h, ${bound} (prices of ${catalog.pricedAt}${estimates})`,
    '',
  ];
}

const WORDS: Readonly<Record<Action['kind'], string>> = {
  createNodeClaim: 'create NodeClaims',
  launch: 'launch instances',
  adoptInstance: 'tell NodeClaims of their instances',
  update: 'update objects',
  updateStatus: 'update statuses',
  delete: 'delete objects',
  evict: 'evict pods',
  forceDelete: 'delete pods that will not go',
  nominate: 'name pods their nodes',
  bind: 'bind pods to a node',
  liftTaint: 'release nodes',
  terminateInstance: 'terminate instances',
  tagInstance: 'tag instances',
  ensureInstanceProfile: 'make instance profiles',
  deleteInstanceProfile: 'delete instance profiles',
  deleteLaunchTemplate: 'delete launch templates',
  refreshMarket: 'ask EC2 again what it sells',
  rememberMemory: 'remember the memory of nodes',
  markUnavailable: 'mark offerings as unavailable',
  recordEvent: 'record events',
};

function next({ actions, lookAgainAt }: Plan): readonly string[] {
  const counts = new Map<Action['kind'], number>();
  for (const { kind } of actions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const lines = [...counts].map(([kind, count]) => `${WORDS[kind]}: ${count}`);
  if (lookAgainAt !== undefined) lines.push(`look again at ${lookAgainAt}`);
  return lines;
}
