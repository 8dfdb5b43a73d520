import type {
  CreateFleetCommandInput,
  CreateFleetCommandOutput,
  CreateFleetError,
  CreateFleetInstance,
} from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { FleetError, FleetOption } from '#lib/ec2/launch/fleet-errors.ts';
import type { CapacityType } from '#lib/model/instance-type.ts';
import type { Launch, LaunchedInstance } from '#lib/model/launch.ts';
import { awsErrorCode, isTokenMismatch } from './errors.ts';
import { createRequest, ensureLaunchTemplates, type KnownTemplates } from './launch-templates.ts';

/** What a fleet request came to: instances and errors may stand side by side. */
export interface FleetAnswer {
  /** Sorted by id. */
  readonly instances: readonly LaunchedInstance[];
  readonly errors: readonly FleetError[];
  /** What was asked for. */
  readonly options: readonly FleetOption[];
  /** An earlier call with this token arrived, with other contents: look for its instances by tag. */
  readonly arrivedBefore: boolean;
}

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
  known: KnownTemplates = new Map(),
): Promise<FleetAnswer> {
  const answer = await attempt(call, launch, known);
  if (answer !== 'template gone') return answer;
  for (const { name } of launch.launchTemplates) known.delete(name);
  // A token is answered alike for ever: the second try needs its own, the same at each replay.
  const again = await attempt(call, { ...launch, clientToken: `${launch.clientToken}-2` }, known);
  if (again !== 'template gone') return again;
  throw new Error('EC2 does not know a launch template that was made a moment ago');
}

const optionsOf = (
  capacityType: CapacityType,
  request: CreateFleetCommandInput,
): readonly FleetOption[] =>
  overridesOf(request).map(({ InstanceType = '', AvailabilityZone = '' }) => ({
    capacityType,
    instanceType: InstanceType,
    zone: AvailabilityZone,
  }));

async function attempt(
  call: AwsCall,
  launch: Launch,
  known: KnownTemplates,
): Promise<FleetAnswer | 'template gone'> {
  const request = withTemplates(
    createFleetRequest(launch),
    await ensureLaunchTemplates(call, launch, known),
  );
  try {
    const read = readAnswer(launch, request, await call('CreateFleet', request));
    const isGone = read.errors.some(({ code }) => TEMPLATE_GONE.has(code));
    return isGone && read.instances.length === 0 ? 'template gone' : read;
  } catch (error) {
    if (isTokenMismatch(error)) {
      const options = optionsOf(launch.capacityType, request);
      return { instances: [], errors: [], options, arrivedBefore: true };
    }
    if (TEMPLATE_GONE.has(awsErrorCode(error))) return 'template gone';
    throw error;
  }
}

/** The whole CreateFleet request of a launch. */
export const createFleetRequest = (launch: Launch): CreateFleetCommandInput => ({
  ...fleetRequest(launch),
  ClientToken: launch.clientToken,
});

/** The request with the options of those templates alone that are there. */
const withTemplates = (
  request: CreateFleetCommandInput,
  there: ReadonlySet<string>,
): CreateFleetCommandInput => ({
  ...request,
  LaunchTemplateConfigs: request.LaunchTemplateConfigs?.filter(({ LaunchTemplateSpecification }) =>
    there.has(LaunchTemplateSpecification?.LaunchTemplateName ?? ''),
  ),
});

function readAnswer(
  launch: Launch,
  request: CreateFleetCommandInput,
  answer: CreateFleetCommandOutput,
): FleetAnswer {
  const { capacityType } = launch;
  const instances = (answer.Instances ?? []).flatMap((group) => launchedOf(launch, request, group));
  return {
    instances: instances.sort((a, b) => compareText(a.id, b.id)),
    errors: (answer.Errors ?? []).map((error) => errorOf(capacityType, error)),
    options: optionsOf(capacityType, request),
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
