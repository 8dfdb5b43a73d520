import { readFile } from 'node:fs/promises';
import { parseSchedulerConfig } from '#lib/kube/decode/decode-scheduler-config.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/** The spread of pods that ask for none, as the file at `path` says; or what is wrong with it. */
export async function readSchedulerConfig(
  path: string,
): Promise<Pick<ClusterSettings, 'defaultSpread'> | { readonly problem: string }> {
  try {
    const defaultSpread = parseSchedulerConfig(await readFile(path, 'utf8'));
    if ('problem' in defaultSpread) return { problem: `${path}: ${defaultSpread.problem}` };
    return defaultSpread.length === 0 ? {} : { defaultSpread };
  } catch (error) {
    return { problem: `${path}: ${error instanceof Error ? error.message : String(error)}` };
  }
}
