import { defineConfig } from 'vitest/config';

/** Against a real HTTP server; one file at a time, since its account is one. */
export default defineConfig({
  test: {
    include: ['test/e2e/*.e2e.ts'],
    globalSetup: ['test/e2e/emulator.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  },
});
