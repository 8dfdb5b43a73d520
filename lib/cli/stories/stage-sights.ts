import type { Stage } from './story.ts';

/** How many pods of a workload are ready on a node; the stories' usual one where none is named. */
export const readyPods = (stage: Stage, app = 'web'): number =>
  stage.pods(app).filter((pod) => pod.ready && pod.node !== undefined).length;

/** Whether a node is seen. */
export const isThere = (stage: Stage, name: string): boolean =>
  stage.nodes().some((node) => node.name === name);

/** Whether no NodeClaim means to keep a node: it is being deleted, or gone. */
export const isGoing = (stage: Stage, node: string): boolean =>
  !stage
    .nodeClaims()
    .some(
      ({ status, metadata }) =>
        Object(status).nodeName === node && metadata.deletionTimestamp === undefined,
    );
