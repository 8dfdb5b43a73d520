import { createHash } from 'node:crypto';
import type { Clock, Instant } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import { uuid } from './account.ts';

/** How a queue was set up; times in milliseconds. */
export interface QueueOptions {
  readonly name: string;
  readonly visibilityTimeoutMs: number;
  readonly retentionMs: number;
  /** Receives of one message before it is moved away; absent: never. */
  readonly redrive?: { readonly to: Queue; readonly maxReceiveCount: number };
  /** How often a message is delivered twice, from 0 to 1. */
  readonly duplicates?: number;
}

/** A message as a receiver sees it. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly md5: string;
  readonly sentAt: Instant;
  readonly firstReceivedAt: Instant;
  readonly receiveCount: number;
}

/** A standard queue of SQS. */
export interface Queue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly send: (body: string, delayMs?: number) => { readonly messageId: string; md5: string };
  /** Up to `max` visible messages, in no particular order, hidden for the visibility timeout. */
  readonly receive: (max: number) => readonly ReceivedMessage[];
  /** Forgets the message; a handle of an earlier receive still works, as it mostly does in SQS. */
  readonly remove: (receiptHandle: string) => void;
  /** Messages that a receive could have now, and all that are kept. */
  readonly depth: () => { readonly visible: number; readonly kept: number };
  /** Hears of each instant at which a message becomes visible. */
  readonly onVisible: (listener: () => void) => void;
}

interface Message {
  readonly messageId: string;
  readonly body: string;
  readonly sentAt: Instant;
  readonly expiresAt: Instant;
  visibleAt: Instant;
  receiveCount: number;
  firstReceivedAt: Instant | undefined;
}

interface State {
  readonly options: QueueOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly messages: Map<string, Message>;
  readonly listeners: (() => void)[];
  receives: number;
}

/** Where a queue stands. */
export interface QueueSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly region: string;
  readonly accountId: string;
}

/**
 * A standard queue: a delay for each message, at least once (twice, where `duplicates` says so), in
 * any order, hidden while somebody works on it, moved to the dead-letter queue after too many
 * receives. Not modelled: FIFO, batches, message attributes, long polling, the 120,000 messages in
 * flight.
 *
 * Source: SQS Developer Guide, At-least-once delivery; Visibility timeout; Dead-letter queues.
 */
export function createQueue(around: QueueSurroundings, options: QueueOptions): Queue {
  const state: State = {
    options,
    clock: around.clock,
    random: around.random.fork(`queue/${options.name}`),
    journal: around.journal,
    messages: new Map(),
    listeners: [],
    receives: 0,
  };
  return {
    name: options.name,
    url: `https://sqs.${around.region}.amazonaws.com/${around.accountId}/${options.name}`,
    arn: `arn:aws:sqs:${around.region}:${around.accountId}:${options.name}`,
    send: (body, delayMs = 0) => send(state, body, delayMs),
    receive: (max) => receive(state, max),
    remove: (receiptHandle) => {
      state.messages.delete(keyOf(receiptHandle));
    },
    depth: () => ({ visible: visible(state).length, kept: state.messages.size }),
    onVisible: (listener) => {
      state.listeners.push(listener);
    },
  };
}

function send(state: State, body: string, delayMs: number): { messageId: string; md5: string } {
  const now = state.clock.now();
  const messageId = uuid(state.random);
  const message: Message = {
    messageId,
    body,
    sentAt: now,
    expiresAt: now + state.options.retentionMs,
    visibleAt: now + delayMs,
    receiveCount: 0,
    firstReceivedAt: undefined,
  };
  keep(state, messageId, message);
  if (state.random.next() < (state.options.duplicates ?? 0)) {
    keep(state, `${messageId}+`, { ...message, visibleAt: message.visibleAt + 500 });
  }
  return { messageId, md5: md5(body) };
}

function keep(state: State, key: string, message: Message): void {
  state.messages.set(key, message);
  tellWhenVisible(state, message);
}

function tellWhenVisible(state: State, message: Message): void {
  state.clock.at(message.visibleAt, () => {
    for (const listener of state.listeners) listener();
  });
}

function receive(state: State, max: number): readonly ReceivedMessage[] {
  const candidates = visible(state)
    .map((entry) => ({ entry, draw: state.random.next() }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ entry }) => entry);
  const taken: ReceivedMessage[] = [];
  for (const [key, message] of candidates) {
    if (taken.length === max) break;
    if (moveAway(state, key, message)) continue;
    taken.push(take(state, key, message));
  }
  return taken;
}

function take(state: State, key: string, message: Message): ReceivedMessage {
  const now = state.clock.now();
  message.visibleAt = now + state.options.visibilityTimeoutMs;
  message.receiveCount += 1;
  message.firstReceivedAt ??= now;
  tellWhenVisible(state, message);
  state.receives += 1;
  return {
    messageId: message.messageId,
    receiptHandle: `${key}/${state.receives}`,
    body: message.body,
    md5: md5(message.body),
    sentAt: message.sentAt,
    firstReceivedAt: message.firstReceivedAt,
    receiveCount: message.receiveCount,
  };
}

/** Moves a message that was received too often to the dead-letter queue; tells whether it did. */
function moveAway(state: State, key: string, message: Message): boolean {
  const { redrive, name } = state.options;
  if (redrive === undefined || message.receiveCount < redrive.maxReceiveCount) return false;
  state.messages.delete(key);
  redrive.to.send(message.body);
  state.journal.note({
    at: state.clock.now(),
    source: 'sqs',
    text: `${name}: a message was received ${message.receiveCount} times and goes to ${redrive.to.name}`,
    fields: { body: message.body },
  });
  return true;
}

function visible(state: State): readonly (readonly [string, Message])[] {
  const now = state.clock.now();
  for (const [key, message] of state.messages) {
    if (message.expiresAt <= now) state.messages.delete(key);
  }
  return [...state.messages].filter(([, message]) => message.visibleAt <= now);
}

const keyOf = (receiptHandle: string): string =>
  receiptHandle.slice(0, receiptHandle.lastIndexOf('/'));

const md5 = (body: string): string => createHash('md5').update(body).digest('hex');
