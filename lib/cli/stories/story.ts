import type { Stage } from './stage.ts';

/** A story that plays in the embedded world and ends with its own checks. */
export interface Story {
  readonly number: number;
  readonly name: string;
  /** What happens, in one sentence. */
  readonly title: string;
  /** One that the embedded table of EC2 holds. */
  readonly region: string;
  /** A file of lib/cli/stories/manifests. */
  readonly manifests: string;
  readonly play: (stage: Stage) => Promise<void>;
}
