import { defineConfig } from 'vitest/config';

/** Each test file has a cluster and an account of its own; two at a time are what two cores bear. */
export default defineConfig({
  test: {
    include: ['test/e2e/cluster/*.e2e.ts'],
    globalSetup: ['test/e2e/cluster/setup.ts'],
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    env: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  },
});
