import type { EpochMs } from '#lib/model/time.ts';
import { STACK_LIMITS } from '#lib/sim/stack.ts';
import type { Timers } from './timers.ts';

/** A message as its receiver gets it. */
export interface Message {
  readonly messageId: string;
  readonly body: string;
}

/** A queue of SQS and the event source that empties it into a function, within this process. */
export interface MessageQueue {
  /** Puts a message into the queue, to be received after so many milliseconds. */
  readonly send: (body: string, delayMs?: number) => string;
  /** Delivers nothing more; resolves when what is being delivered has ended. */
  readonly stop: () => Promise<void>;
}

/** How a queue is set up. */
export interface MessageQueueOptions {
  readonly name: string;
  readonly timers: Timers;
  /** For how long a message is hidden that somebody works on. */
  readonly visibilityMs: number;
  /** Gives a batch to the function; answers with the ids that failed, rejects where all did. */
  readonly deliver: (messages: readonly Message[]) => Promise<readonly string[]>;
  /** Hears of a message that was received too often and is given up. */
  readonly onDead: (message: Message) => void;
}

interface Kept extends Message {
  visibleAt: EpochMs;
  receives: number;
}

interface State extends MessageQueueOptions {
  readonly messages: Map<string, Kept>;
  readonly deliveries: Set<Promise<void>>;
  sent: number;
  isStopped: boolean;
  callOff: () => void;
}

/** Batches, runs at the same time and receives are those of the deployed queues. */
const { batchSize, maximumConcurrency, maxReceives } = STACK_LIMITS;

/**
 * A queue with a delay for each message, batches, two deliveries at a time, messages that come
 * back when their visibility timeout ends without their being done, and an end to that after four
 * receives. Losing it with the process loses hints only: the heartbeat looks all the same.
 */
export function createMessageQueue(options: MessageQueueOptions): MessageQueue {
  const state: State = {
    ...options,
    messages: new Map(),
    deliveries: new Set(),
    sent: 0,
    isStopped: false,
    callOff: () => undefined,
  };
  return {
    send: (body, delayMs = 0) => {
      state.sent += 1;
      const messageId = `${state.name}-${state.sent}`;
      const visibleAt = state.timers.now() + delayMs;
      state.messages.set(messageId, { messageId, body, visibleAt, receives: 0 });
      wait(state);
      return messageId;
    },
    stop: async () => {
      state.isStopped = true;
      state.callOff();
      await Promise.all(state.deliveries);
    },
  };
}

/** Sleeps until the next message can be received, if anybody is free to take it. */
function wait(state: State): void {
  state.callOff();
  if (state.isStopped || state.deliveries.size >= maximumConcurrency || state.messages.size === 0)
    return;
  const next = Math.min(...[...state.messages.values()].map(({ visibleAt }) => visibleAt));
  state.callOff = state.timers.after(Math.max(0, next - state.timers.now()), () => take(state));
}

function take(state: State): void {
  const now = state.timers.now();
  const batch = [...state.messages.values()].filter(({ visibleAt }) => visibleAt <= now);
  const taken = batch.slice(0, batchSize).filter((message) => receive(state, message, now));
  if (taken.length > 0) {
    const delivery: Promise<void> = deliver(state, taken).finally(() => {
      state.deliveries.delete(delivery);
      wait(state);
    });
    state.deliveries.add(delivery);
  }
  wait(state);
}

function receive(state: State, message: Kept, now: EpochMs): boolean {
  message.receives += 1;
  message.visibleAt = now + state.visibilityMs;
  if (message.receives <= maxReceives) return true;
  state.messages.delete(message.messageId);
  state.onDead(message);
  return false;
}

async function deliver(state: State, batch: readonly Kept[]): Promise<void> {
  try {
    const failed = await state.deliver(batch.map(({ messageId, body }) => ({ messageId, body })));
    for (const { messageId } of batch) {
      if (!failed.includes(messageId)) state.messages.delete(messageId);
    }
  } catch {
    // Whoever was invoked has said what went wrong; the messages come back by themselves.
  }
}
