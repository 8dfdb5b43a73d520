import type { AwsCall } from '#lib/aws/calls/call.ts';
import type { EventMemory } from '#lib/kube/event-memory.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';

/** What sending a hint takes: all that the webhook's function is given. */
export interface HintSender {
  readonly aws: AwsCall;
  readonly now: () => EpochMs;
  readonly settings: Pick<Settings, 'hintQueueUrl'>;
  readonly log: Log;
}

/** Everything a function may touch of the world; wired once per sandbox, or by the simulator. */
export interface Shell extends HintSender {
  readonly kube: KubeTransport;
  readonly sleep: (ms: number) => Promise<void>;
  readonly settings: Settings;
  readonly events: EventMemory;
  /** Takes one line of metrics as it is; nobody hears of them where absent. */
  readonly writeMetrics?: (line: string) => void;
}
