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
import { ensureLaunchTemplate } from './launch-templates.ts';

/** What a fleet request came to: instances and errors may stand side by side. */
export interface FleetAnswer {
  /** Sorted by id. */
  readonly instances: readonly LaunchedInstance[];
  readonly errors: readonly FleetError[];
  /** An earlier call with this token arrived, with other contents: look for its instances by tag. */
  readonly arrivedBefore: boolean;
}

const NOTHING: FleetAnswer = { instances: [], errors: [], arrivedBefore: false };

/**
 * Launches: its templates first, then the fleet. A template that EC2 does not know at this moment
 * is made again and the fleet asked for once more. Any other failure of a call is thrown.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/instance.go, Create.
 */
export async function createFleet(call: AwsCall, launch: Launch): Promise<FleetAnswer> {
  try {
    return await attempt(call, launch);
  } catch (error) {
    if (awsErrorCode(error) !== 'InvalidLaunchTemplateName.NotFoundException') throw error;
    return await attempt(call, launch);
  }
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

async function attempt(call: AwsCall, launch: Launch): Promise<FleetAnswer> {
  for (const template of launch.launchTemplates) await ensureLaunchTemplate(call, template);
  const request = fleetRequest(launch);
  try {
    const answer = await call('CreateFleet', { ...request, ClientToken: launch.clientToken });
    return readAnswer(launch, answer);
  } catch (error) {
    if (isTokenMismatch(error)) return { ...NOTHING, arrivedBefore: true };
    throw error;
  }
}

function readAnswer(launch: Launch, answer: CreateFleetCommandOutput): FleetAnswer {
  const request = fleetRequest(launch);
  const { capacityType } = launch;
  const instances = (answer.Instances ?? []).flatMap((group) =>
    launchedOf(request, capacityType, group),
  );
  return {
    instances: instances.sort((a, b) => compareText(a.id, b.id)),
    errors: (answer.Errors ?? []).map((error) => errorOf(capacityType, error)),
    arrivedBefore: false,
  };
}

/** EC2 echoes the override that it used; what it leaves out is taken from the request's. */
function launchedOf(
  request: CreateFleetCommandInput,
  capacityType: CapacityType,
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
    capacityType,
    imageId: echoed?.ImageId ?? asked?.ImageId ?? '',
  }));
}

function errorOf(capacityType: CapacityType, error: CreateFleetError): FleetError {
  const { InstanceType, AvailabilityZone } = error.LaunchTemplateAndOverrides?.Overrides ?? {};
  return {
    code: error.ErrorCode ?? '',
    message: error.ErrorMessage ?? '',
    capacityType,
    ...(InstanceType === undefined ? {} : { instanceType: InstanceType }),
    ...(AvailabilityZone === undefined ? {} : { zone: AvailabilityZone }),
  };
}

/** The core writes the request as plain JSON; this is where it becomes the SDK's type again. */
const fleetRequest = ({ request }: Launch): CreateFleetCommandInput =>
  request as unknown as CreateFleetCommandInput;

const overridesOf = (request: CreateFleetCommandInput) =>
  (request.LaunchTemplateConfigs ?? []).flatMap(({ Overrides }) => Overrides ?? []);
