import { describe, expect, it } from 'vitest';
import { virtualClock } from '#lib/sim/clock.ts';

describe('virtualClock', () => {
  it('runs what is due in order of time, and of scheduling where the times are equal', async () => {
    const clock = virtualClock(1_000);
    const seen: string[] = [];
    clock.after(20, () => seen.push(`b@${clock.now()}`));
    clock.after(10, () => seen.push(`a@${clock.now()}`));
    clock.after(20, () => seen.push(`c@${clock.now()}`));

    expect(await clock.run(() => false, 5_000)).toBe('idle');
    expect(seen).toEqual(['a@1010', 'b@1020', 'c@1020']);
  });

  it('lets every promise settle before time moves on', async () => {
    const clock = virtualClock(0);
    const seen: number[] = [];
    const walk = async () => {
      for (let step = 0; step < 3; step += 1) {
        await clock.sleep(5);
        await Promise.resolve();
        seen.push(clock.now());
      }
    };
    clock.at(0, () => void walk());
    clock.at(6, () => seen.push(-6));

    await clock.run(() => false, 100);
    expect(seen).toEqual([5, -6, 10, 15]);
  });

  it('stops at the deadline without running what comes after it', async () => {
    const clock = virtualClock(0);
    let ran = false;
    clock.at(11, () => {
      ran = true;
    });

    expect(await clock.run(() => false, 10)).toBe('deadline');
    expect([clock.now(), ran]).toEqual([10, false]);
  });

  it('does not run what was cancelled', async () => {
    const clock = virtualClock(0);
    let ran = false;
    clock
      .after(1, () => {
        ran = true;
      })
      .cancel();

    await clock.run(() => false, 10);
    expect(ran).toBe(false);
  });
});
