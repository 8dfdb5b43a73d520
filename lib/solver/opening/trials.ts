import type { Choice } from '../admission.ts';
import { isHolder, type NodeClaimDraft } from './draft.ts';
import type { NextShape } from './shapes.ts';

/** How shapes are tried, and what a filled one is worth. */
export interface Trials {
  /** The draft in this shape, filled; undefined where it cannot be opened. */
  readonly fill: (choice: Choice) => NodeClaimDraft | undefined;
  readonly worthOf: (draft: NodeClaimDraft) => number;
  readonly costOf: (choice: Choice) => number;
  /** At most this many times what it promises does a shape carry. */
  readonly boost: number;
}

/** How many shapes are filled for one decision; the most promising come first. */
const MOST_SHAPES = 16;

/**
 * The filling that carries most for a unit of cost, of shapes that come the most promising first;
 * the first of equals. Cost: up to 16 fillings.
 */
export function bestTrial(
  next: NextShape,
  { fill, worthOf, costOf, boost }: Trials,
): NodeClaimDraft | undefined {
  let best: Trial = { yielded: -1 };
  let roomy: NodeClaimDraft | undefined;
  let tried = 0;
  // What stayed empty in one shape would stay so in another that holds as much.
  const isHopeless = (choice: Choice): boolean => roomy !== undefined && isHolder(roomy, choice);
  for (let shape = next(isHopeless); shape; shape = next(isHopeless)) {
    const { choice, promise } = shape;
    if (tried >= MOST_SHAPES || promise * boost <= best.yielded) break;
    if (isHopeless(choice)) continue;
    const draft = fill(choice);
    if (!draft) continue;
    tried += 1;
    if (isRoomy(draft)) roomy = draft;
    const yielded = worthOf(draft) / costOf(draft.shape);
    if (yielded > best.yielded) best = { draft, yielded };
  }
  return best.draft;
}

interface Trial {
  readonly draft?: NodeClaimDraft;
  /** What it carries for a unit of cost. */
  readonly yielded: number;
}

/** A node of which no more than this share is full is too large: not its size keeps pods away. */
const ROOMY_SHARE = 0.5;

const isRoomy = ({ used, shape }: NodeClaimDraft): boolean =>
  used.every((amount, axis) => amount <= ROOMY_SHARE * (shape.sourceType.roomAmounts[axis] ?? 0));
