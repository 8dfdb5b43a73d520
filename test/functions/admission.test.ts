import { describe, expect, it } from 'vitest';
import { createAdmission } from '#functions/provision/admission.ts';
import { typedCall } from '#lib/aws/call.ts';

const review = { body: JSON.stringify({ request: { uid: 'u-1', name: 'web-1' } }) };

function aDoor(send: () => Promise<unknown> = async () => ({})) {
  let now = 0;
  let hints = 0;
  const errors: string[] = [];
  const admit = createAdmission({
    aws: typedCall(async () => {
      hints += 1;
      return await send();
    }),
    now: () => now,
    settings: { hintQueueUrl: 'https://queue' },
    log: { info: () => undefined, warn: () => undefined, error: (text) => errors.push(text) },
  });
  return {
    admit,
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

  it('asks once for calls that follow one another within a second', async () => {
    const door = aDoor();
    for (let call = 0; call < 100; call += 1) await door.admit(review);
    door.pass(1_000);
    await door.admit(review);

    expect(door.hints()).toBe(2);
  });

  it('allows even where no hint can be sent, and says so in its log', async () => {
    const door = aDoor(() => Promise.reject(new Error('queue gone')));

    expect(await door.admit(review)).toMatchObject({ statusCode: 200 });
    expect(door.errors).toHaveLength(1);
  });
});
