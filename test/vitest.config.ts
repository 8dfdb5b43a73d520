import { defineConfig } from 'vitest/config';

const CORE = '{constraints,model,consent,ec2,solver,disruption,lifecycle,decide}';

/** No test is judged by its time: this only ends one that would never end. */
const PATIENCE_MS = 60_000;

/** `core` runs without a clock, a network or an environment; `shell` is everything else. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'core',
          root: '.',
          include: [`test/${CORE}/**/*.test.ts`, 'test/properties/**/*.test.ts'],
          setupFiles: ['test/setup/no-ambient.ts', 'test/setup/seed.ts'],
          testTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          name: 'shell',
          root: '.',
          include: ['test/**/*.test.ts'],
          exclude: [`test/${CORE}/**`, 'test/properties/**'],
          setupFiles: ['test/setup/seed.ts'],
          testTimeout: PATIENCE_MS,
        },
      },
    ],
  },
});
