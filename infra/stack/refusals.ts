import { Token } from 'aws-cdk-lib/core';
import { type Parameter, problemOf } from '../parameters/parameter.ts';
import { PARAMETERS, SETTING_PARAMETERS } from '../parameters/table.ts';
import type { JoineryProps, ScheduleProps } from './props.ts';

/** Source: IAM quotas, names of roles. */
const LONGEST_ROLE_NAME = 64;

/**
 * What of a construct's properties CloudFormation would refuse late, or not at all, each as a
 * sentence. What is known only when the stack is deployed is believed.
 */
export const refusalsOf = (props: JoineryProps): readonly string[] => [
  ...refusal('clusterName', PARAMETERS.clusterName, props.clusterName),
  ...pathRefusals(props),
  ...roleRefusals(props),
  ...vpcRefusals(props),
  ...scheduleRefusals(props),
  ...refusal('alarmEmail', PARAMETERS.alarmEmail, props.alarmEmail),
  ...memoryRefusals(props),
  ...settingRefusals(props),
];

/** One that is left out is refused where it has no default, for who writes no types. */
function refusal(called: string, parameter: Parameter, given: string | undefined): string[] {
  const value = given ?? parameter.fallback ?? '';
  if (Token.isUnresolved(value)) return [];
  const problem = problemOf({ ...parameter, name: called }, value);
  return problem === undefined ? [] : [problem];
}

function pathRefusals({ door, webhookPath = '' }: JoineryProps): string[] {
  if (door === 'none') return [];
  const { fallback: _, ...needed } = PARAMETERS.webhookPath;
  return refusal('webhookPath', needed, webhookPath).map(
    (each) => `${each}, or choose door: 'none'`,
  );
}

function roleRefusals({ clusterName, nodeRoleName }: JoineryProps): string[] {
  if (nodeRoleName !== undefined || Token.isUnresolved(clusterName)) {
    return refusal('nodeRoleName', PARAMETERS.nodeRoleName, nodeRoleName);
  }
  const longest = LONGEST_ROLE_NAME - 'JoineryNodeRole-'.length;
  if (String(clusterName).length <= longest) return [];
  return [
    `clusterName is longer than ${longest} characters, too long for a role that is named after it: make a role of nodes yourself and give its name as nodeRoleName`,
  ];
}

function vpcRefusals({ vpc }: JoineryProps): string[] {
  if (vpc === undefined || (vpc.subnetIds.length > 0 && vpc.securityGroupIds.length > 0)) return [];
  return [
    'vpc needs subnetIds and securityGroupIds, one of each or more; leave vpc out to run outside of it',
  ];
}

function scheduleRefusals({ consolidateSchedules, driftSchedule }: JoineryProps): string[] {
  const of = (called: string, { expression, timeZone }: ScheduleProps): string[] => [
    ...refusal(`${called}.expression`, PARAMETERS.consolidateSchedule, expression),
    ...refusal(`${called}.timeZone`, PARAMETERS.consolidateTimeZone, timeZone),
  ];
  if (consolidateSchedules?.length === 0) {
    return [
      "consolidateSchedules are none: give one or more, or leave them out for each minute; a NodePool's budgets or windows keep it from being consolidated",
    ];
  }
  return [
    ...(consolidateSchedules ?? []).flatMap((each, at) => of(`consolidateSchedules[${at}]`, each)),
    ...(driftSchedule ? of('driftSchedule', driftSchedule) : []),
  ];
}

const memoryRefusals = ({ memoryMegabytes = {} }: JoineryProps): string[] =>
  Object.entries(memoryMegabytes).flatMap(([name, megabytes]) =>
    refusal(`memoryMegabytes.${name}`, PARAMETERS.provisionMemory, String(megabytes)),
  );

const settingRefusals = ({ settings = {} }: JoineryProps): string[] =>
  Object.entries(settings).flatMap(([name, value]) => {
    const parameter = SETTING_PARAMETERS[name];
    if (parameter) return refusal(`settings.${name}`, parameter, value);
    return [
      `settings.${name} is none of the settings: ${Object.keys(SETTING_PARAMETERS).join(', ')}`,
    ];
  });
