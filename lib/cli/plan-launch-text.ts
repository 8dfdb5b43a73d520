import { createFleetRequest } from '#lib/aws/fleet.ts';
import type { Launch } from '#lib/model/launch.ts';

/** A launch as a person reads it: what is bought, from where, and what the instances are told. */
export function launchText(launch: Launch): readonly string[] {
  const request = createFleetRequest(launch);
  const { TotalTargetCapacity = 0 } = request.TargetCapacitySpecification ?? {};
  const configs = request.LaunchTemplateConfigs ?? [];
  return [
    `CreateFleet: ${TotalTargetCapacity} × ${launch.capacityType}, token ${launch.clientToken}`,
    ...configs.flatMap(({ LaunchTemplateSpecification, Overrides = [] }) => [
      `  with launch template ${LaunchTemplateSpecification?.LaunchTemplateName}`,
      ...Overrides.map(
        ({ InstanceType, AvailabilityZone, SubnetId, Priority }) =>
          `    ${InstanceType} in ${AvailabilityZone}, ${SubnetId}, ${Priority} USD/h`,
      ),
    ]),
    ...launch.launchTemplates.flatMap(({ name, data }) => [
      '',
      `CreateLaunchTemplate: ${name}, image ${Object(data).ImageId}, user data:`,
      ...Buffer.from(String(Object(data).UserData ?? ''), 'base64')
        .toString()
        .split('\n')
        .map((line) => `  ${line}`.trimEnd()),
    ]),
  ];
}
