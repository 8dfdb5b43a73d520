import type {
  CreateFleetCommandInput,
  CreateFleetCommandOutput,
  CreateFleetError,
  CreateFleetInstance,
} from '@aws-sdk/client-ec2';
import { compareText } from '#lib/constraints/order.ts';
import type { FleetError, FleetOption } from '#lib/ec2/fleet-errors.ts';
import type { CapacityType } from '#lib/model/instance-type.ts';
import type { Launch, LaunchedInstance } from '#lib/model/launch.ts';
import type { AwsCall } from './call.ts';
import { awsErrorCode, isTokenMismatch } from './errors.ts';
import { createRequest, ensureLaunchTemplates, type KnownTemplates } from './launch-templates.ts';

/** What a fleet request came to: instances and errors may stand side by side. */
export interface FleetAnswer {
  /** Sorted by id. */
  readonly instances: readonly LaunchedInstance[];
  readonly errors: readonly FleetError[];
  /** An earlier call with this token arrived, with other contents: look for its instances by tag. */
  readonly arrivedBefore: boolean;
}

const NOTHING: FleetAnswer = { instances: [], errors: [], arrivedBefore: false };

/** Codes by which EC2 says that it does not know a launch template at this moment. */
const TEMPLATE_GONE: ReadonlySet<string> = new Set([
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
]);

/**
 * Launches: the templates that are missing first, then the fleet. Where EC2 does not know a
 * template after all, it is made again and the fleet asked for once more; upstream does so only
 * where the whole call failed. Any other failure of a call is thrown.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/instance.go, Create.
 */
export async function createFleet(
  call: AwsCall,
  launch: Launch,
  known: KnownTemplates = new Set(),
): Promise<FleetAnswer> {
  const answer = await attempt(call, launch, known);
  if (answer !== 'template gone') return answer;
  for (const { name } of launch.launchTemplates) known.delete(name);
  // A token is answered alike for ever: the second try needs its own, the same at each replay.
  const again = await attempt(call, { ...launch, clientToken: `${launch.clientToken}-2` }, known);
  if (again !== 'template gone') return again;
  throw new Error('EC2 does not know a launch template that was made a moment ago');
}

/** The options of a launch, as its request lists them. */
export function optionsOf(launch: Launch): readonly FleetOption[] {
  const { capacityType } = launch;
  return overridesOf(fleetRequest(launch)).map(({ InstanceType = '', AvailabilityZone = '' }) => ({
    capacityType,
    instanceType: InstanceType,
    zone: AvailabilityZone,
  }));
}

async function attempt(
  call: AwsCall,
  launch: Launch,
  known: KnownTemplates,
): Promise<FleetAnswer | 'template gone'> {
  await ensureLaunchTemplates(call, launch.launchTemplates, known);
  try {
    const answer = await call('CreateFleet', createFleetRequest(launch));
    const read = readAnswer(launch, answer);
    const isGone = read.errors.some(({ code }) => TEMPLATE_GONE.has(code));
    return isGone && read.instances.length === 0 ? 'template gone' : read;
  } catch (error) {
    if (isTokenMismatch(error)) return { ...NOTHING, arrivedBefore: true };
    if (TEMPLATE_GONE.has(awsErrorCode(error))) return 'template gone';
    throw error;
  }
}

/** The whole CreateFleet request of a launch. */
export const createFleetRequest = (launch: Launch): CreateFleetCommandInput => ({
  ...fleetRequest(launch),
  ClientToken: launch.clientToken,
});

function readAnswer(launch: Launch, answer: CreateFleetCommandOutput): FleetAnswer {
  const request = fleetRequest(launch);
  const { capacityType } = launch;
  const instances = (answer.Instances ?? []).flatMap((group) => launchedOf(launch, request, group));
  return {
    instances: instances.sort((a, b) => compareText(a.id, b.id)),
    errors: (answer.Errors ?? []).map((error) => errorOf(capacityType, error)),
    arrivedBefore: false,
  };
}

/** EC2 echoes the override that it used; what it leaves out is taken from the request's. */
function launchedOf(
  launch: Launch,
  request: CreateFleetCommandInput,
  group: CreateFleetInstance,
): readonly LaunchedInstance[] {
  const echoed = group.LaunchTemplateAndOverrides?.Overrides;
  const instanceType = group.InstanceType ?? echoed?.InstanceType ?? '';
  const zone = echoed?.AvailabilityZone ?? '';
  const asked = overridesOf(request).find(
    (one) => one.InstanceType === instanceType && one.AvailabilityZone === zone,
  );
  return (group.InstanceIds ?? []).map((id) => ({
    id,
    instanceType,
    zone,
    zoneId: group.AvailabilityZoneId ?? '',
    capacityType: launch.capacityType,
    imageId: echoed?.ImageId ?? asked?.ImageId ?? '',
    ...profileOf(launch),
  }));
}

/** All templates of a launch name one profile: that of its NodeClass. */
function profileOf({ launchTemplates }: Launch): Pick<LaunchedInstance, 'instanceProfile'> {
  const name =
    launchTemplates[0] &&
    createRequest(launchTemplates[0]).LaunchTemplateData?.IamInstanceProfile?.Name;
  return name === undefined ? {} : { instanceProfile: name };
}

function errorOf(capacityType: CapacityType, error: CreateFleetError): FleetError {
  const { Overrides = {} } = error.LaunchTemplateAndOverrides ?? {};
  const { InstanceType, AvailabilityZone, SubnetId } = Overrides;
  return {
    code: error.ErrorCode ?? '',
    message: error.ErrorMessage ?? '',
    capacityType,
    ...(InstanceType === undefined ? {} : { instanceType: InstanceType }),
    ...(AvailabilityZone === undefined ? {} : { zone: AvailabilityZone }),
    ...(SubnetId === undefined ? {} : { subnetId: SubnetId }),
  };
}

/** The core writes the request as plain JSON; this is where it becomes the SDK's type again. */
const fleetRequest = ({ request }: Launch): CreateFleetCommandInput =>
  request as unknown as CreateFleetCommandInput;

const overridesOf = (request: CreateFleetCommandInput) =>
  (request.LaunchTemplateConfigs ?? []).flatMap(({ Overrides }) => Overrides ?? []);
