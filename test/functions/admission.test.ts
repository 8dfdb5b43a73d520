import { describe, expect, it } from 'vitest';
import { createAdmission } from '#functions/provision/admission.ts';
import { typedCall } from '#lib/aws/calls/call.ts';
import type { HintSender } from '#lib/runtime/shell.ts';

const review = { body: JSON.stringify({ request: { uid: 'u-1', name: 'web-1' } }) };

function aDoor(send: () => Promise<unknown> = async () => ({}), path = '') {
  let now = 0;
  let hints = 0;
  const errors: string[] = [];
  const shell: HintSender = {
    aws: typedCall(async () => {
      hints += 1;
      return await send();
    }),
    now: () => now,
    settings: { hintQueueUrl: 'https://queue' },
    log: { info: () => undefined, warn: () => undefined, error: (text) => errors.push(text) },
  };
  return {
    admit: createAdmission(shell, path),
    errors,
    hints: () => hints,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('admit', () => {
  it('allows, and asks for a look', async () => {
    const door = aDoor();

    expect(await door.admit(review)).toMatchObject({ statusCode: 200 });
    expect(door.hints()).toBe(1);
  });

  it('makes one hint of a thousand calls that follow one another within a second', async () => {
    const door = aDoor();
    for (let call = 0; call < 1_000; call += 1) await door.admit(review);
    door.pass(1_000);
    await door.admit(review);

    expect(door.hints()).toBe(2);
  });

  it('hears nobody who does not know its path', async () => {
    const door = aDoor(undefined, 'c2VjcmV0');
    const others = ['/', '/c2VjcmV', '/c2VjcmV0/', '/C2VJCMV0', undefined];

    for (const rawPath of others) {
      expect(await door.admit({ ...review, rawPath })).toMatchObject({ statusCode: 404, body: '' });
    }
    expect(door.hints()).toBe(0);
    expect(await door.admit({ ...review, rawPath: '/c2VjcmV0' })).toMatchObject({
      statusCode: 200,
    });
    expect(door.hints()).toBe(1);
  });

  it('allows even where no hint can be sent, and says so in its log', async () => {
    const door = aDoor(() => Promise.reject(new Error('queue gone')));

    expect(await door.admit(review)).toMatchObject({ statusCode: 200 });
    expect(door.errors).toHaveLength(1);
  });
});
