/**
 * The cases in which the suites of karpenter v1.14 (provisioning/scheduling/suite_test.go,
 * topology_test.go, instance_selection_test.go and their neighbours) are summed up, by number, and
 * what became of each here. A test's title opens with the numbers of the cases it restates.
 */

/** What became of one case. */
export type Verdict =
  | { readonly kind: 'same' }
  /** Told by the test's title, in words that name upstream. */
  | { readonly kind: 'different' }
  /** Held by a test of another kind, in this file. */
  | { readonly kind: 'elsewhere'; readonly file: string; readonly differs?: string }
  | { readonly kind: 'notApplicable'; readonly because: string };

/** By subject, the numbers of the cases there are. */
export const SUBJECTS: Readonly<Record<string, readonly number[]>> = {
  'most discriminating': [
    2, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 16, 18, 19, 23, 24, 25, 26, 27, 28, 29, 32, 33, 35, 37, 38,
    39, 40,
  ],
  'topology spread': [
    41, 43, 44, 46, 47, 48, 50, 51, 52, 54, 55, 56, 59, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 72,
  ],
  'pod affinity and anti-affinity': [73, 74, 75, 76, 77, 79, 80, 82, 83, 84, 85, 86],
  'requirements and labels': [87, 89, 90, 91, 92, 94, 95, 96, 97, 98, 99, 100, 101, 104, 105],
  'types, offerings, resources': [107, 108, 109, 111, 114, 116, 117, 118, 119, 120],
  'existing and in-flight nodes': [121, 122, 123, 124, 125, 126, 127, 128, 129, 131, 132, 133, 134],
  volumes: [136, 138, 139, 140, 141, 143, 144],
  daemons: [145, 146, 147, 151, 153],
  'taints, pools, weights': [154, 156, 157, 158],
  limits: [159, 160],
  'batching, volume of work, devices': [162, 163, 164, 165],
  algebra: [166, 167, 168, 170],
  'overlays, static pools, buffers': [172, 173, 174, 175, 176, 177, 178, 179, 180],
  'events and validation': [182, 183, 184, 185, 186, 187, 189],
  'state and sync': [190, 191, 192, 193, 194],
};

const DIFFERENT: readonly number[] = [2, 7, 8, 18, 19, 23, 37, 47, 80, 177, 178, 190];

const APART: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [
    28,
    {
      kind: 'notApplicable',
      because: 'how many types a claim may list is not a setting here',
    },
  ],
  [
    117,
    {
      kind: 'notApplicable',
      because: 'no offering of EC2 has a capacity of its own; NodeOverlays change that of types',
    },
  ],
  [
    162,
    {
      kind: 'notApplicable',
      because: 'no process lives on between passes to keep metrics of them',
    },
  ],
  [
    163,
    {
      kind: 'notApplicable',
      because: 'no process lives on between passes to keep metrics of them',
    },
  ],
  [
    189,
    {
      kind: 'elsewhere',
      file: 'test/kube/record-event.test.ts',
      differs: 'what has changed is told as an event of its own (upstream waits five minutes)',
    },
  ],
  [
    194,
    {
      kind: 'notApplicable',
      because: 'a Snapshot is judged as one instant: pods stand under the nodes they are bound to',
    },
  ],
]);

/** The verdict of every case. */
export const PARITY: ReadonlyMap<number, Verdict> = new Map(
  Object.values(SUBJECTS)
    .flat()
    .map((number): [number, Verdict] => [
      number,
      APART.get(number) ?? { kind: DIFFERENT.includes(number) ? 'different' : 'same' },
    ]),
);
