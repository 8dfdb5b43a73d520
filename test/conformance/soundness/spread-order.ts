/** Whether pods can be bound one after another so that every spread constraint holds each time. */

/** One spread constraint, with the nodes and pods that it counts. */
export interface Group {
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly isHostname: boolean;
  /** Domains of nodes that could be made and that its owners may go to. */
  readonly couldBe: ReadonlySet<string>;
  readonly isOpenTo: (domain: string) => boolean;
}

interface In {
  readonly group: Group;
  readonly domain: string | undefined;
}

/** One pod at its place in one world. */
export interface Binding {
  readonly name: string;
  readonly isBound: boolean;
  /** Whether it waits for others to be bound near it. */
  readonly isFollower: boolean;
  /** Whether it is bound when all others are. */
  readonly isLast: boolean;
  /** The constraints it must meet, with the domain it stands in. */
  readonly owns: readonly In[];
  /** The constraints that count it. */
  readonly countsIn: readonly In[];
  /** The constraints whose selector selects it. */
  readonly countsItselfIn: readonly Group[];
}

/** How many orders are tried beside the one that is likeliest to do. */
const ORDERS = 60;

/** What is wrong with pods that can be bound in no order that was tried. */
export function stuckIn(
  bindings: readonly Binding[],
  present: ReadonlyMap<Group, readonly string[]>,
): readonly string[] {
  let state = 7;
  const draw = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const problems = stuckInOrder(bindings, present);
  for (let order = 0; order < ORDERS && problems.length > 0; order += 1) {
    const drawn = new Map(
      bindings.map((each) => [each, draw() + (order % 2 === 0 ? lateness(each) : 0)]),
    );
    if (stuckInOrder(bindings, present, drawn).length === 0) return [];
  }
  return problems;
}

function stuckInOrder(
  bindings: readonly Binding[],
  present: ReadonlyMap<Group, readonly string[]>,
  drawn?: ReadonlyMap<Binding, number>,
): readonly string[] {
  const tally = new Tally(present);
  const waiting = new Set<Binding>();
  for (const binding of bindings) {
    if (binding.isBound) tally.count(binding);
    else if (binding.owns.length > 0 || binding.countsIn.length > 0) waiting.add(binding);
  }
  for (;;) {
    const next = nextOf(waiting, tally, drawn);
    if (!next) break;
    waiting.delete(next);
    tally.count(next);
  }
  // Where the greedy order fails, what all counts come to in the end may still be even.
  for (const binding of waiting) tally.count(binding);
  return [...waiting]
    .filter(({ owns }) => owns.some((each) => tally.isSkewed(each)))
    .map(({ name, owns }) => {
      const skewed = owns.filter((each) => tally.isSkewed(each)).map(({ domain }) => domain);
      return `${name} makes the spread too uneven in ${skewed.join()}`;
    });
}

/**
 * Owners first: those that take nothing from owners of other rules, into the emptiest domain; who
 * follows others after them. Pods that ask for nothing only when all owners wait.
 */
function nextOf(
  waiting: ReadonlySet<Binding>,
  tally: Tally,
  drawn: ReadonlyMap<Binding, number> | undefined,
): Binding | undefined {
  let best: Binding | undefined;
  let least = Infinity;
  for (const binding of waiting) {
    if (binding.isLast && waiting.size > 1) continue;
    const { owns, countsIn } = binding;
    const isFree = owns.length === 0;
    const foreign = countsIn.filter(
      (each) => !owns.some((own) => own.group === each.group) && isAwaited(each, waiting),
    );
    const full = (isFree ? countsIn : owns).reduce((sum, each) => sum + tally.of(each), 0);
    const likely = foreign.length * FOREIGN + full;
    const rank = (isFree ? FREE : 0) + (drawn?.get(binding) ?? likely + lateness(binding));
    if (rank >= least || !(isFree || tally.admits(binding))) continue;
    least = rank;
    best = binding;
  }
  return best;
}

/** Whether an owner still has to come into this domain. */
const isAwaited = ({ group, domain }: In, waiting: ReadonlySet<Binding>): boolean =>
  [...waiting].some(({ owns }) => owns.some((own) => own.group === group && own.domain === domain));

const lateness = ({ isFollower }: Binding): number => (isFollower ? FOLLOWING : 0);

/** Ranks that no count of pods, and nothing that is drawn, comes near. */
const FOREIGN = 1e6;
const FOLLOWING = 1e10;
const FREE = 1e12;

class Tally {
  readonly #counts = new Map<Group, Map<string, number>>();
  readonly #domains = new Map<Group, ReadonlySet<string>>();

  constructor(present: ReadonlyMap<Group, readonly string[]>) {
    for (const [group, domains] of present) {
      const open = domains.filter((domain) => group.isOpenTo(domain));
      this.#domains.set(group, new Set([...group.couldBe, ...open]));
      this.#counts.set(group, new Map());
    }
  }

  of({ group, domain }: In): number {
    return domain === undefined ? 0 : (this.#counts.get(group)?.get(domain) ?? 0);
  }

  count({ countsIn }: Binding): void {
    for (const { group, domain } of countsIn) {
      if (domain === undefined) continue;
      this.#counts.get(group)?.set(domain, this.of({ group, domain }) + 1);
    }
  }

  admits({ owns, countsItselfIn }: Binding): boolean {
    return owns.every(({ group, domain }) => {
      const self = countsItselfIn.includes(group) ? 1 : 0;
      const count = this.of({ group, domain });
      return domain !== undefined && count + self - this.#least(group, domain) <= group.maxSkew;
    });
  }

  isSkewed({ group, domain }: In): boolean {
    if (domain === undefined) return true;
    return this.of({ group, domain }) - this.#least(group, domain) > group.maxSkew;
  }

  /**
   * The least count of the domains that are compared: the owner's own is one of them, and each in
   * which somebody has been bound by now, so that its node must be there.
   */
  #least(group: Group, own: string): number {
    const taken = [...(this.#counts.get(group)?.keys() ?? [])].filter(group.isOpenTo);
    const domains = new Set([...(this.#domains.get(group) ?? []), ...taken, own]);
    if (group.isHostname || domains.size < group.minDomains) return 0;
    return Math.min(...[...domains].map((domain) => this.of({ group, domain })));
  }
}
