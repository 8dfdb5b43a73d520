/** What a lawful cluster may become, as an integer program in CPLEX LP format. */
import type { MoverKind } from '#lib/disruption/consolidation/movers.ts';
import type { Amounts } from '#lib/solver/amounts.ts';
import type { LawfulCluster, LawfulWare } from './lawful-cluster.ts';

/**
 * Which nodes go is whole, and so is what is bought; pods of a kind may be shared among places at
 * will. Spreads over zones, limits of volumes, the pace of budgets, the order of things and the
 * certainty of prices are not asked about: nothing lawful is left out, so that no plan is cheaper,
 * or moves fewer pods, than the best of this program.
 */
export interface Program {
  /** What all nodes cost in the end, less what they cost now. */
  readonly usd: string;
  readonly moves: string;
  readonly text: (objective: string, ...more: readonly string[]) => string;
}

interface Flow {
  readonly name: string;
  readonly kind: MoverKind;
  readonly most: number;
}

/** Writes the program down. */
export function programOf(cluster: LawfulCluster): Program {
  const { nodes, places } = cluster;
  const counts = new Map<MoverKind, number>();
  for (const kind of nodes.flatMap(({ movers }) => movers)) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts.keys()];
  const removable = new Map(nodes.map(({ name }, at) => [name, `x${at}`]));
  const wares = worthwhile(cluster.wares, kinds);
  const rows: string[] = [];
  const flows: Flow[] = [];
  for (const [at, { name, free, takes }] of places.entries()) {
    const own = flowsTo(`f${at}`, free, kinds.filter(takes), counts);
    const gone = removable.get(name);
    flows.push(...own);
    if (gone)
      rows.push(...own.map((flow) => `${flow.name} + ${flow.most} ${gone} <= ${flow.most}`));
    rows.push(...roomRows(own, free, gone), ...apartRows(own));
  }
  for (const [at, { room, takes }] of wares.entries()) {
    const own = flowsTo(`g${at}`, room, kinds.filter(takes), counts, 'many');
    flows.push(...own);
    rows.push(...roomRows(own, room).map((row) => row.replace(/ <= (.*)$/, ` - $1 y${at} <= 0`)));
  }
  rows.push(...kinds.map((kind) => balanceRow(kind, flows, cluster)));
  const bought = wares.map(({ usdPerHour }, at) => `+ ${usdPerHour} y${at}`);
  const usd = [...nodes.map((node, at) => `- ${node.usdPerHour} x${at}`), ...bought].join(' ');
  const bounds = flows.map(({ name, most }) => ` 0 <= ${name} <= ${most}`);
  const whole = wares.map((_, at) => `y${at}`);
  return {
    usd,
    moves: nodes.map(({ movers }, at) => `+ ${movers.length} x${at}`).join(' '),
    text: (objective, ...more) =>
      [
        `Minimize\n obj: ${objective}`,
        `Subject To\n${[...rows, ...more].map((row, at) => ` c${at}: ${row}`).join('\n')}`,
        `Bounds\n${bounds.join('\n')}`,
        whole.length > 0 ? `General\n ${whole.join(' ')}` : '',
        `Binary\n ${[...removable.values()].join(' ')}\nEnd`,
      ].join('\n'),
  };
}

/** Wares without those that take and hold no more than a cheaper one; cheapest first. */
function worthwhile(
  wares: readonly LawfulWare[],
  kinds: readonly MoverKind[],
): readonly LawfulWare[] {
  const kept: LawfulWare[] = [];
  const usable = wares.filter((ware) => kinds.some((kind) => ware.takes(kind)));
  for (const ware of usable) {
    const isBeaten = kept.some(
      (other) =>
        ware.room.every((amount, axis) => amount <= (other.room[axis] ?? 0)) &&
        kinds.every((kind) => !ware.takes(kind) || other.takes(kind)),
    );
    if (!isBeaten) kept.push(ware);
  }
  return kept;
}

/** How many pods of each kind go to a place; on a place that may come in copies, any number. */
function flowsTo(
  prefix: string,
  room: Amounts,
  kinds: readonly MoverKind[],
  counts: ReadonlyMap<MoverKind, number>,
  copies: 'one' | 'many' = 'one',
): readonly Flow[] {
  return [...counts].flatMap(([kind, count], at) => {
    if (!kinds.includes(kind)) return [];
    const most = Math.min(count, timesIn(kind, room));
    if (most < 1) return [];
    return [{ name: `${prefix}_${at}`, kind, most: copies === 'one' ? most : count }];
  });
}

const timesIn = ({ amounts, brings, shuns }: MoverKind, room: Amounts): number =>
  Math.min(
    brings.some((mark) => shuns.includes(mark)) ? 1 : Number.POSITIVE_INFINITY,
    ...amounts.map((amount, axis) =>
      amount > 0 ? Math.floor((room[axis] ?? 0) / amount) : Number.POSITIVE_INFINITY,
    ),
  );

/** What stands on a place fits; on one that goes, nothing does. Each row is of the size of one. */
function roomRows(flows: readonly Flow[], room: Amounts, gone?: string): readonly string[] {
  return room.flatMap((amount, axis) => {
    const terms = flows.flatMap(({ name, kind }) => {
      const asked = kind.amounts[axis] ?? 0;
      return asked > 0 ? [`${asked / amount} ${name}`] : [];
    });
    if (terms.length === 0) return [];
    return [`${terms.join(' + ')}${gone ? ` + 1 ${gone}` : ''} <= 1`];
  });
}

/** Of pods that keep each other off, one stands on a node. */
function apartRows(flows: readonly Flow[]): readonly string[] {
  const marks = new Map<string, string[]>();
  for (const { name, kind } of flows) {
    for (const mark of kind.brings.filter((each) => kind.shuns.includes(each))) {
      marks.set(mark, [...(marks.get(mark) ?? []), name]);
    }
  }
  return [...marks.values()]
    .filter(({ length }) => length > 1)
    .map((names) => `${names.join(' + ')} <= 1`);
}

/** Whoever loses his node has a place. */
function balanceRow(kind: MoverKind, flows: readonly Flow[], { nodes }: LawfulCluster): string {
  const places = flows.filter((flow) => flow.kind === kind).map(({ name }) => name);
  const origins = nodes.flatMap(({ movers }, at) => {
    const count = movers.filter((each) => each === kind).length;
    return count > 0 ? [`- ${count} x${at}`] : [];
  });
  return `${[...places.map((name) => `+ ${name}`), ...origins].join(' ')} = 0`;
}
