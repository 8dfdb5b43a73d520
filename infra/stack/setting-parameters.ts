import { CfnParameter } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { SETTINGS, type Setting } from '#lib/runtime/settings-table.ts';

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
 * One parameter for each setting of the functions, with its own default and pattern; gives the
 * settings by name. What has no default may be left empty: it is asked of EKS.
 */
export function settingParameters(scope: Construct): Readonly<Record<string, string>> {
  const settings: readonly Setting[] = Object.values(SETTINGS);
  return Object.fromEntries(
    settings
      .filter(({ name }) => name.startsWith(PREFIX) && !TOLD.has(name))
      .map(({ name, says, expected, fallback = '', pattern }) => {
        const parameter = new CfnParameter(scope, parameterName(name), {
          description: `${says}: ${expected}.`,
          default: fallback,
          allowedPattern: pattern.test(fallback) ? pattern.source : `^$|${pattern.source}`,
        });
        return [name, parameter.valueAsString];
      }),
  );
}
