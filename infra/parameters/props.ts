import type { Door, JoineryProps } from '../stack/props.ts';
import { problemOf } from './parameter.ts';
import { ALL_PARAMETERS, PARAMETERS, SETTING_PARAMETERS } from './table.ts';

/** Parameters by their names, as a person gave them: whoever is absent has its default. */
export type Given = Readonly<Record<string, unknown>>;

/**
 * The construct's properties for parameters that were given by name. Throws one error with a
 * sentence for each value that cannot be right, and for each name that is none; names of CDK's own
 * are left alone.
 */
export function propsOf(given: Given): JoineryProps {
  const faults = [...strangersIn(given), ...faultsIn(given), ...faultsBetween(given)];
  if (faults.length > 0) {
    throw new Error(`${faults.join('\n')}\ninfra/PARAMETERS.md explains every parameter.`);
  }
  const { webhookPath, nodeRoleName, alarmEmail } = {
    webhookPath: textOf(given, 'webhookPath'),
    nodeRoleName: textOf(given, 'nodeRoleName'),
    alarmEmail: textOf(given, 'alarmEmail'),
  };
  return {
    clusterName: textOf(given, 'clusterName'),
    door: doorOf(textOf(given, 'webhookDoor')),
    ...(webhookPath && { webhookPath }),
    ...(textOf(given, 'subnetIds') && { vpc: vpcOf(given) }),
    ...(nodeRoleName && { nodeRoleName }),
    createAccessEntries: textOf(given, 'createAccessEntries') === 'true',
    createSpotServiceLinkedRole: textOf(given, 'createSpotServiceLinkedRole') === 'true',
    ...(alarmEmail && { alarmEmail }),
    ...habitsOf(given),
    settings: settingsOf(given),
  };
}

type Name = keyof typeof PARAMETERS;

function textOf(given: Given, parameter: Name): string {
  const { name } = PARAMETERS[parameter];
  const { fallback = '' } = { fallback: undefined, ...PARAMETERS[parameter] };
  return String(given[name] ?? fallback);
}

const numberOf = (given: Given, parameter: Name): number => Number(textOf(given, parameter));

const doorOf = (text: string): Door =>
  text === 'function-url' || text === 'none' ? text : 'http-api';

const vpcOf = (given: Given) => ({
  subnetIds: textOf(given, 'subnetIds').split(','),
  securityGroupIds: textOf(given, 'securityGroupIds').split(','),
});

const habitsOf = (given: Given) => ({
  consolidateSchedules: [
    {
      expression: textOf(given, 'consolidateSchedule'),
      timeZone: textOf(given, 'consolidateTimeZone'),
    },
  ],
  driftSchedule: {
    expression: textOf(given, 'driftSchedule'),
    timeZone: textOf(given, 'driftTimeZone'),
  },
  alarms: {
    nodes: numberOf(given, 'nodesAlarm'),
    usdPerHour: numberOf(given, 'usdPerHourAlarm'),
    newNodeClaims: numberOf(given, 'newNodeClaimsAlarm'),
  },
  memoryMegabytes: {
    provision: numberOf(given, 'provisionMemory'),
    consolidate: numberOf(given, 'consolidateMemory'),
    drift: numberOf(given, 'driftMemory'),
    interrupt: numberOf(given, 'interruptMemory'),
    admit: numberOf(given, 'admitMemory'),
  },
  logRetentionDays: numberOf(given, 'logRetentionDays'),
});

/** What was given and is not what a function takes anyway. */
const settingsOf = (given: Given): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(SETTING_PARAMETERS).flatMap(([setting, { name, fallback }]) => {
      const value = String(given[name] ?? fallback);
      return value === fallback ? [] : [[setting, value]];
    }),
  );

const faultsIn = (given: Given): readonly string[] =>
  ALL_PARAMETERS.flatMap((parameter) => {
    const value = given[parameter.name] ?? parameter.fallback ?? '';
    return problemOf(parameter, String(value)) ?? [];
  });

function faultsBetween(given: Given): readonly string[] {
  const has = (parameter: Name): boolean => textOf(given, parameter) !== '';
  const faults: string[] = [];
  if (textOf(given, 'webhookDoor') !== 'none' && !has('webhookPath')) {
    faults.push(
      `WebhookPath is missing: give ${PARAMETERS.webhookPath.expected}, or choose WebhookDoor=none`,
    );
  }
  if (has('subnetIds') !== has('securityGroupIds')) {
    faults.push('SubnetIds and SecurityGroupIds go together: give both, or neither');
  }
  return faults;
}

/** Names that look like a parameter and are none: a slip would else be taken for a default. */
const strangersIn = (given: Given): readonly string[] =>
  Object.keys(given).flatMap((key) => {
    const meant = ALL_PARAMETERS.find(({ name }) => name.toLowerCase() === key.toLowerCase());
    if (meant?.name === key) return [];
    if (meant) return [`there is no parameter ${key}: ${meant.name} is meant`];
    return /^[A-Z]\w*$/.test(key) ? [`there is no parameter ${key}`] : [];
  });
