import type { TestProject } from 'vitest/node';
import { startEmulator } from '../emulator.ts';
import { controlPlaneBinary } from '../stack/binary.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The program that is the whole control plane. */
    controlPlane: string;
  }
}

/** Has everything there that takes its time the first time, before any test waits for it. */
export async function setup(project: TestProject): Promise<void> {
  // biome-ignore lint/suspicious/noConsole: somebody waits for minutes and should know for what.
  project.provide('controlPlane', controlPlaneBinary(console.info));
  const { stop } = await startEmulator();
  stop();
}
