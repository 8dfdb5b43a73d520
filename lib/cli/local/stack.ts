import { createConsolidate } from '#functions/consolidate/consolidate.ts';
import { createDrift } from '#functions/drift/drift.ts';
import { createInterrupt } from '#functions/interrupt/interrupt.ts';
import { createAdmission } from '#functions/provision/admission.ts';
import { createProvision } from '#functions/provision/provision.ts';
import { typedCall } from '#lib/aws/calls/call.ts';
import type { Log } from '#lib/runtime/log.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { STACK_LIMITS } from '#lib/sim/stack.ts';
import { type LocalFunction, serveFunction } from './local-function.ts';
import { createMessageQueue, type Message, type MessageQueue } from './message-queue.ts';
import type { Timers } from './timers.ts';

/** How often a schedule invokes each of those that have one, in seconds. */
interface Schedules {
  readonly provision: number;
  readonly consolidate: number;
  readonly drift: number;
}

/** What the functions are served with. */
export interface LocalStackOptions {
  /** The real world for one sandbox of a function; `holder` is its name on the Lease. */
  readonly connect: (functionName: string, holder: string) => Promise<Shell>;
  readonly schedules: Schedules;
  readonly timers: Timers;
  readonly log: Log;
  /** What tells this process from every other that might hold the Lease. */
  readonly holder: string;
}

/** The functions as they are served from one process. */
export interface LocalStack {
  /** A call of the webhook, as the HTTP endpoint hands it on. */
  readonly admit: ReturnType<typeof createAdmission>;
  /** Puts an event of EventBridge into the interruption queue. */
  readonly announce: (body: string) => void;
  /** Stops the schedules and queues; resolves when all that was running has ended. */
  readonly stop: () => Promise<void>;
}

const FUNCTIONS = {
  provision: createProvision,
  consolidate: createConsolidate,
  drift: createDrift,
  interrupt: createInterrupt,
} as const;
type FunctionName = keyof typeof FUNCTIONS;

/** Any URL: what is sent to it stays in this process. */
export const LOCAL_QUEUE_URL = 'http://localhost/joinery-hints';

/**
 * Serves provision, consolidate, drift and interrupt, with the queues that feed them and the
 * schedules that wake them; each looks once at the start.
 */
export function startLocalStack(options: LocalStackOptions): LocalStack {
  const { timers, log } = options;
  const serve = (name: FunctionName): LocalFunction =>
    serveFunction({
      name,
      timers,
      timeoutMs: STACK_LIMITS.timeoutMs[name],
      start: async (sandbox) => {
        const holder = `${options.holder}/${name}-${sandbox}`;
        return FUNCTIONS[name](withQueue(await options.connect(name, holder), hints));
      },
      onFailure: (failed, error) => log.error(`${failed}: failed`, { error }),
    });
  const functions = {
    provision: serve('provision'),
    consolidate: serve('consolidate'),
    drift: serve('drift'),
    interrupt: serve('interrupt'),
  };
  const queue = (name: string, fed: FunctionName): MessageQueue =>
    createMessageQueue({
      name,
      timers,
      visibilityMs: STACK_LIMITS.timeoutMs[fed],
      deliver: async (messages) => failuresIn(await functions[fed].invoke(batchOf(messages))),
      onDead: ({ body }) => log.error(`${name}: given up after four receives`, { body }),
    });
  const hints = queue('hints', 'provision');
  const interruptions = queue('interruptions', 'interrupt');
  const schedules = (['provision', 'consolidate', 'drift'] as const).map((name) =>
    every(timers, options.schedules[name] * 1_000, () => {
      // What it fails of is in the log; the next beat is another try.
      functions[name].invoke(scheduled(name)).catch(() => undefined);
    }),
  );
  return {
    admit: createAdmission({
      aws: localQueueCall(hints),
      now: timers.now,
      settings: { hintQueueUrl: LOCAL_QUEUE_URL },
      log,
    }),
    announce: (body) => {
      interruptions.send(body);
    },
    stop: async () => {
      for (const callOff of schedules) callOff();
      await Promise.all([hints.stop(), interruptions.stop()]);
      await Promise.all(Object.values(functions).map(({ idle }) => idle()));
    },
  };
}

/** Calls `act` now and each `ms` from then on, whether or not the last call has ended. */
function every(timers: Timers, ms: number, act: () => void): () => void {
  let callOff = (): void => undefined;
  const beat = (): void => {
    callOff = timers.after(ms, beat);
    act();
  };
  beat();
  return () => callOff();
}

/** The shell with hints that stay in this process; all else goes to AWS. */
const withQueue = (shell: Shell, hints: MessageQueue): Shell => ({
  ...shell,
  aws: typedCall(async (name, input) =>
    name === 'SendMessage'
      ? sendLocally(hints, input)
      : await Reflect.apply(shell.aws, undefined, [name, input]),
  ),
});

const localQueueCall = (hints: MessageQueue) =>
  typedCall(async (name, input) => {
    if (name !== 'SendMessage') throw new Error(`expected SendMessage, found ${name}`);
    return sendLocally(hints, input);
  });

function sendLocally(hints: MessageQueue, input: unknown): { readonly MessageId: string } {
  const { MessageBody, DelaySeconds } = Object(input);
  return { MessageId: hints.send(String(MessageBody), Number(DelaySeconds ?? 0) * 1_000) };
}

/** Source: AWS Lambda, "Using Lambda with Amazon SQS", event shape. */
const batchOf = (messages: readonly Message[]) => ({
  Records: messages.map(({ messageId, body }) => ({
    messageId,
    receiptHandle: messageId,
    body,
    eventSource: 'aws:sqs',
  })),
});

/** Source: EventBridge User Guide, scheduled events. */
const scheduled = (name: FunctionName) => ({
  version: '0',
  source: 'aws.events',
  'detail-type': 'Scheduled Event',
  resources: [`joinery-${name}`],
  detail: {},
});

/** The ids that a handler's answer names as failed. Source: Lambda, ReportBatchItemFailures. */
function failuresIn(answer: unknown): readonly string[] {
  const { batchItemFailures } = Object(answer);
  if (!Array.isArray(batchItemFailures)) return [];
  return batchItemFailures.map((failure: unknown) => String(Object(failure).itemIdentifier));
}
