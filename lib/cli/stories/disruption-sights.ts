import { at } from './cast.ts';
import type { Stage } from './story.ts';

/** What stories about disruption change and look at. */

const API_VERSIONS = {
  NodePool: 'karpenter.sh/v1',
  EC2NodeClass: 'karpenter.k8s.aws/v1',
} as const;

/** Changes fields of an object's spec, as a person does with kubectl patch. */
export const changeSpec = (
  stage: Stage,
  kind: keyof typeof API_VERSIONS,
  name: string,
  spec: Readonly<Record<string, unknown>>,
): void => stage.apply({ apiVersion: API_VERSIONS[kind], kind, metadata: { name }, spec });

/** Names of the nodes that no pod comes to any more because they go. */
export const goingNodes = (stage: Stage): readonly string[] =>
  stage
    .objects('Node')
    .filter(({ metadata, spec }) => {
      const taints: unknown = at(spec, 'taints');
      return (
        metadata.deletionTimestamp !== undefined ||
        (Array.isArray(taints) && taints.some((taint) => at(taint, 'key') === DISRUPTED))
      );
    })
    .map(({ metadata }) => metadata.name);

const DISRUPTED = 'karpenter.sh/disrupted';

/** The images of the nodes that stay, as their NodeClaims tell them. */
export const imagesOf = (stage: Stage): ReadonlySet<string> =>
  new Set(
    stage
      .nodeClaims()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ status }) => String(at(status, 'imageID'))),
  );

/** By NodeClaim: the reason of its condition of one type, where that is True. */
export const conditionReasons = (stage: Stage, type: string): ReadonlyMap<string, string> =>
  new Map(
    stage.nodeClaims().flatMap(({ metadata, status }) => {
      const conditions: unknown = at(status, 'conditions');
      const found = Array.isArray(conditions)
        ? conditions.find((one) => at(one, 'type') === type && at(one, 'status') === 'True')
        : undefined;
      return found === undefined ? [] : [[metadata.name, String(at(found, 'reason'))] as const];
    }),
  );

/** What the nodes cost together, USD per hour. */
export const usdOf = (stage: Stage): number =>
  stage.nodes().reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);

const GLANCE_MS = 2_000;

/** Glances every two seconds until `holds`, for so long at most; each glance is told of the time since. */
export async function watch(
  stage: Stage,
  holds: () => boolean,
  withinMs: number,
  glance: (sinceMs: number) => void,
): Promise<void> {
  const until = stage.now() + withinMs;
  while (stage.now() < until && !holds()) {
    await stage.pass(GLANCE_MS);
    glance(GLANCE_MS);
  }
}
