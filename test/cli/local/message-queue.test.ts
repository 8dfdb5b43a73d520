import { describe, expect, it } from 'vitest';
import { createMessageQueue, type Message } from '#lib/cli/local/message-queue.ts';
import { someTimers } from '#test/build/timers.ts';

/** A queue, the bodies it delivered with their instants, and what was given up. */
function aQueue(
  answer: (messages: readonly Message[], delivery: number) => Promise<readonly string[]>,
) {
  const { timers, pass } = someTimers();
  const delivered: string[] = [];
  const dead: string[] = [];
  let deliveries = 0;
  const queue = createMessageQueue({
    name: 'hints',
    timers,
    visibilityMs: 60_000,
    deliver: (messages) => {
      deliveries += 1;
      delivered.push(`${timers.now()} ${messages.map(({ body }) => body).join('+')}`);
      return answer(messages, deliveries);
    },
    onDead: ({ body }) => dead.push(body),
  });
  return { queue, pass, delivered, dead };
}

const done = () => Promise.resolve([]);

describe('the queue of joinery local', () => {
  it('delivers each message when its delay ends, what is due together as one batch', async () => {
    const { queue, pass, delivered } = aQueue(done);
    queue.send('later', 5_000);
    queue.send('now');
    queue.send('now too');
    await pass(10_000);

    expect(delivered).toEqual(['0 now+now too', '5000 later']);
  });

  it('gives at most ten messages to one delivery, and makes two deliveries at a time', async () => {
    const waiting: (() => void)[] = [];
    const { queue, pass, delivered } = aQueue(
      () => new Promise((resolve) => waiting.push(() => resolve([]))),
    );
    for (let at = 0; at < 30; at += 1) queue.send('x');
    await pass(1_000);

    expect(delivered.map((each) => each.split('+').length)).toEqual([10, 10]);
    waiting[0]?.();
    await pass(1_000);
    expect(delivered).toHaveLength(3);
  });

  it('delivers again, after the visibility timeout, what failed, and only that', async () => {
    const { queue, pass, delivered } = aQueue((messages, delivery) =>
      Promise.resolve(delivery === 1 ? messages.slice(0, 1).map(({ messageId }) => messageId) : []),
    );
    queue.send('bad');
    queue.send('good');
    await pass(59_000);
    expect(delivered).toEqual(['0 bad+good']);
    await pass(2_000);
    expect(delivered).toEqual(['0 bad+good', '60000 bad']);
  });

  it('gives a message up after four receives, and says so', async () => {
    const { queue, pass, delivered, dead } = aQueue(() => Promise.reject(new Error('no')));
    queue.send('poison');
    await pass(3_600_000);

    expect(delivered).toHaveLength(4);
    expect(dead).toEqual(['poison']);
  });

  it('delivers nothing once it is stopped, and waits for what is under way', async () => {
    let finish: () => void = () => undefined;
    const { queue, pass, delivered } = aQueue(
      () =>
        new Promise((resolve) => {
          finish = () => resolve([]);
        }),
    );
    queue.send('first');
    await pass(1);
    let isStopped = false;
    const stopped = queue.stop().then(() => {
      isStopped = true;
    });
    queue.send('second');
    await pass(10_000);
    expect({ isStopped, delivered }).toEqual({ isStopped: false, delivered: ['0 first'] });
    finish();
    await stopped;
    expect(isStopped).toBe(true);
  });
});
