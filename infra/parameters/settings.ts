import { SETTINGS, type Setting } from '#lib/runtime/settings-table.ts';
import type { Parameter } from './parameter.ts';

/** What the deployment itself tells its functions. */
const TOLD: ReadonlySet<string> = new Set([
  'JOINERY_CLUSTER_NAME',
  'JOINERY_HINT_QUEUE_URL',
  'JOINERY_WEBHOOK_PATH',
]);
const PREFIX = 'JOINERY_';

/** JOINERY_MIN_VALUES_POLICY is the parameter MinValuesPolicy. */
const parameterName = (setting: string): string =>
  setting
    .slice(PREFIX.length)
    .split('_')
    .map((word) => `${word[0]}${word.slice(1).toLowerCase()}`)
    .join('');

/**
 * One parameter for each setting of the functions that a deployment may choose, with the setting's
 * own default and pattern, by the setting's name. What has no default may be left empty: it is asked
 * of EKS.
 */
export function settingParameters(): Readonly<Record<string, Parameter>> {
  const settings: readonly Setting[] = Object.values(SETTINGS);
  return Object.fromEntries(
    settings
      .filter(({ name }) => name.startsWith(PREFIX) && !TOLD.has(name))
      .map(({ name, says, expected, fallback = '', pattern, problem }) => [
        name,
        {
          name: parameterName(name),
          says: `${says}: ${expected}.`,
          fallback,
          pattern,
          expected,
          ...(problem && { problem }),
        },
      ]),
  );
}
