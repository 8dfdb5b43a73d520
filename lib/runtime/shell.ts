import type { AwsCall } from '#lib/aws/call.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';

/** Everything a function may touch of the world; wired once per sandbox, or by the simulator. */
export interface Shell {
  readonly kube: KubeTransport;
  readonly aws: AwsCall;
  readonly now: () => EpochMs;
  readonly sleep: (ms: number) => Promise<void>;
  readonly settings: Settings;
  readonly log: Log;
}
