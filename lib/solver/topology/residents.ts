import { isDaemon, isMirror, isTerminal, isTerminating } from '#lib/consent/pod-state.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import { isGoing } from '../hosts/hosts.ts';
import { labelsText, type Part, type RuleBook } from './rules.ts';

/** A running pod, and where it stands. */
export interface Resident {
  readonly parts: readonly Part[];
  readonly node: StateNode;
}

/** What a solve counts, and what it does not. */
interface Counted {
  readonly book: RuleBook;
  readonly nodes: readonly StateNode[];
  readonly promised: ReadonlyMap<string, readonly Pod[]>;
  /** Uids of the pods that are being placed, or leave and cannot be, wherever they stand now. */
  readonly batch: ReadonlySet<string>;
}

/**
 * The running pods that rules know, and what they are to them. Cost: a look at each pod, and at its
 * labels the first time.
 */
export function residentsOf({ book, nodes, promised, batch }: Counted): readonly Resident[] {
  const partsOf = createPartsOf(book);
  const residents: Resident[] = [];
  for (const node of nodes) {
    const pods = podsOn(node, promised);
    for (const [at, text] of kindsOf(pods).entries()) {
      const parts = partsOf(text, pods[at]);
      const pod = parts.length > 0 ? pods[at] : undefined;
      if (!pod || isTerminal(pod) || batch.has(pod.meta.uid) || goesWith(node, pod)) continue;
      residents.push({ parts, node });
    }
  }
  return residents;
}

// The pods of a node are asked about in every solve of a pass; it follows from them alone.
const kinds = new WeakMap<readonly Pod[], readonly string[]>();

/** Of each pod, what it may be known by: its labels, or nothing where more than those counts. */
function kindsOf(pods: readonly Pod[]): readonly string[] {
  const known = kinds.get(pods);
  if (known) return known;
  const texts = pods.map((pod) =>
    isTerminating(pod) || pod.podAntiAffinity.required.length > 0 ? '' : labelsText(pod),
  );
  kinds.set(pods, texts);
  return texts;
}

function podsOn(
  { name, pods }: StateNode,
  promised: ReadonlyMap<string, readonly Pod[]>,
): readonly Pod[] {
  const coming = promised.get(name) ?? [];
  return coming.length === 0 ? pods : [...pods, ...coming];
}

/** What belongs to a node that is going is as good as gone. */
const goesWith = (node: StateNode, pod: Pod): boolean =>
  isGoing(node) && (isDaemon(pod) || isMirror(pod));

/** What running pods are to the rules; those of one kind are alike. */
function createPartsOf({
  imposedBy,
  selecting,
  rules,
}: RuleBook): (kind: string, pod: Pod | undefined) => readonly Part[] {
  const touched = new Set(rules);
  const known = new Map<string, readonly Part[]>();
  const partsOf = (pod: Pod): readonly Part[] => {
    const imposed = new Set(imposedBy(pod));
    const selects = new Set(isTerminating(pod) ? [] : selecting(pod));
    return [...new Set([...imposed, ...selects])]
      .filter((rule) => touched.has(rule))
      .map((rule) => ({ rule, owns: imposed.has(rule), selected: selects.has(rule) }));
  };
  return (kind, pod) => {
    const before = known.get(kind);
    if (before || !pod) return before ?? [];
    const parts = partsOf(pod);
    if (kind !== '') known.set(kind, parts);
    return parts;
  };
}
