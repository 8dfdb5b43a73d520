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
  /** Whether it is bound when all others are. */
  readonly isLast: boolean;
  /** The constraints it must meet, with the domain it stands in. */
  readonly owns: readonly In[];
  /** The constraints that count it. */
  readonly countsIn: readonly In[];
  /** The constraints whose selector selects it. */
  readonly countsItselfIn: readonly Group[];
}

/** What is wrong with pods that can be bound in no order that was tried. */
export function stuckIn(
  bindings: readonly Binding[],
  present: ReadonlyMap<Group, readonly string[]>,
): readonly string[] {
  const tally = new Tally(present);
  const waiting = new Set<Binding>();
  for (const binding of bindings) {
    if (binding.isBound) tally.count(binding);
    else if (binding.owns.length > 0 || binding.countsIn.length > 0) waiting.add(binding);
  }
  for (;;) {
    const next = nextOf(waiting, tally);
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

/** Owners into the emptiest domain first; pods that ask for nothing only when all owners wait. */
function nextOf(waiting: ReadonlySet<Binding>, tally: Tally): Binding | undefined {
  let best: Binding | undefined;
  let least = Infinity;
  let free: Binding | undefined;
  let freeLeast = Infinity;
  for (const binding of waiting) {
    const fullness = (list: readonly In[]): number =>
      list.reduce((sum, each) => sum + tally.of(each), 0);
    if (binding.isLast && waiting.size > 1) continue;
    if (binding.owns.length === 0) {
      if (fullness(binding.countsIn) >= freeLeast) continue;
      freeLeast = fullness(binding.countsIn);
      free = binding;
    } else if (fullness(binding.owns) < least && tally.admits(binding)) {
      least = fullness(binding.owns);
      best = binding;
    }
  }
  return best ?? free;
}

class Tally {
  readonly #counts = new Map<Group, Map<string, number>>();

  constructor(present: ReadonlyMap<Group, readonly string[]>) {
    for (const [group, domains] of present) {
      const open = domains.filter((domain) => group.isOpenTo(domain));
      this.#counts.set(group, new Map([...group.couldBe, ...open].map((each) => [each, 0])));
    }
  }

  of({ group, domain }: In): number {
    return domain === undefined ? 0 : (this.#counts.get(group)?.get(domain) ?? 0);
  }

  count({ countsIn }: Binding): void {
    for (const { group, domain } of countsIn) {
      if (domain === undefined) continue;
      const counts = this.#counts.get(group);
      // What stands in a domain that no owner may go to is not compared with.
      if (counts && (counts.has(domain) || group.isHostname)) {
        counts.set(domain, (counts.get(domain) ?? 0) + 1);
      }
    }
  }

  admits({ owns, countsItselfIn }: Binding): boolean {
    return owns.every(({ group, domain }) => {
      const self = countsItselfIn.includes(group) ? 1 : 0;
      const count = this.of({ group, domain });
      return domain !== undefined && count + self - this.#least(group) <= group.maxSkew;
    });
  }

  isSkewed({ group, domain }: In): boolean {
    return domain === undefined || this.of({ group, domain }) - this.#least(group) > group.maxSkew;
  }

  #least(group: Group): number {
    const counts = this.#counts.get(group) ?? new Map<string, number>();
    if (group.isHostname || counts.size < group.minDomains) return 0;
    return Math.min(...counts.values());
  }
}
