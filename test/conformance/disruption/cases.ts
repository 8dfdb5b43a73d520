/**
 * The cases of disruption in which the suites of karpenter v1.14 are summed up that are about
 * candidates, budgets, emptiness and consolidation, and what became of each here. A test's title
 * opens with the numbers of the cases it restates.
 */

/** What became of one case. */
export type Verdict =
  | { readonly kind: 'same' }
  /** Told by the test's title, in words that name upstream. */
  | { readonly kind: 'different' }
  | { readonly kind: 'notApplicable'; readonly because: string };

/** By subject, the numbers of the cases there are. */
const SUBJECTS: Readonly<Record<string, readonly number[]>> = {
  candidates: [2, 3, 4, 45, 46, 48, 50, 52, 98, 99],
  prices: [5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 73, 102],
  consolidation: [
    22, 23, 25, 26, 35, 36, 37, 38, 39, 41, 42, 43, 44, 76, 95, 96, 103, 104, 105, 106, 108, 114,
    115, 116,
  ],
  'budgets and Balanced': [61, 66, 67, 69, 70, 71, 72, 74, 120, 121, 122, 123, 163],
  'passes and validation': [19, 20, 21, 24, 112, 117, 118, 119, 125, 172],
};

const DIFFERENT: readonly number[] = [15, 22, 23, 73, 114];

const NO_LOOP = 'a Snapshot is looked at anew each time: nothing is remembered between passes';

const APART: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [
    21,
    {
      kind: 'notApplicable',
      because: 'each proposal is validated for itself, and a failed one stops no other',
    },
  ],
  [112, { kind: 'notApplicable', because: 'work is limited by counts, not by a minute' }],
  [117, { kind: 'notApplicable', because: NO_LOOP }],
  [118, { kind: 'notApplicable', because: NO_LOOP }],
  [125, { kind: 'notApplicable', because: 'failed validations are told as events, not counted' }],
  [172, { kind: 'notApplicable', because: 'pods with dynamic resource claims are refused' }],
]);

/** The verdict of every case. */
export const CASES: ReadonlyMap<number, Verdict> = new Map(
  Object.values(SUBJECTS)
    .flat()
    .map((number): [number, Verdict] => [
      number,
      APART.get(number) ?? { kind: DIFFERENT.includes(number) ? 'different' : 'same' },
    ]),
);
