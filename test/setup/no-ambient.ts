/**
 * Takes the clock, randomness, the network and timers away from the core while its tests run:
 * what still works then is a function of its arguments.
 */
import { afterAll, beforeAll } from 'vitest';

const forbid = (what: string) => () => {
  throw new Error(`The core used ${what}; it may only look at its arguments.`);
};

const real = { now: Date.now, random: Math.random, fetch: globalThis.fetch };

beforeAll(() => {
  Date.now = forbid('Date.now');
  Math.random = forbid('Math.random');
  globalThis.fetch = forbid('fetch');
});

afterAll(() => {
  Date.now = real.now;
  Math.random = real.random;
  globalThis.fetch = real.fetch;
});
