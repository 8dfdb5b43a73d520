import type { AwsCall } from '#lib/aws/calls/call.ts';
import { templateTagsOf } from '#lib/ec2/launch/tags.ts';
import { profilePathOf } from '#lib/ec2/node-class/instance-profile.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { LeftBehind, NodeClassRemains } from '#lib/model/node-class-facts.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { awsErrorKind, describeAwsError } from './errors.ts';
import { findInstanceProfiles } from './instance-profile.ts';
import { tagFilters } from './network.ts';
import { everyPage } from './pages.ts';

/**
 * What stands in the account only because of a NodeClass that is being deleted: the instance
 * profiles under its path, and the launch templates with its and the cluster's tags.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/controller.go, finalize.
 */
export async function nodeClassRemains(
  call: AwsCall,
  nodeClass: NodeClass,
  settings: ClusterSettings,
): Promise<NodeClassRemains> {
  const { name } = nodeClass.meta;
  try {
    return { nodeClass: name, leftBehind: await leftBehind(call, nodeClass, settings) };
  } catch (error) {
    return { nodeClass: name, leftBehind: { failed: describeAwsError(error) } };
  }
}

async function leftBehind(
  call: AwsCall,
  nodeClass: NodeClass,
  settings: ClusterSettings,
): Promise<LeftBehind> {
  const [instanceProfiles, templates] = await Promise.all([
    // IAM has no address inside a VPC that reaches nothing else: its profiles are left to a person.
    settings.isolatedVpc ? [] : findInstanceProfiles(call, profilePathOf(nodeClass, settings)),
    everyPage(
      (page) =>
        call('DescribeLaunchTemplates', {
          Filters: tagFilters(templateTagsOf(nodeClass, settings)),
          ...page,
        }),
      ({ LaunchTemplates }) => LaunchTemplates ?? [],
    ),
  ]);
  return {
    instanceProfiles,
    launchTemplates: templates.flatMap(({ LaunchTemplateName }) => LaunchTemplateName ?? []).sort(),
  };
}

/** Deletes a launch template; one that is gone is gone. */
export async function deleteLaunchTemplate(call: AwsCall, name: string): Promise<void> {
  try {
    await call('DeleteLaunchTemplate', { LaunchTemplateName: name });
  } catch (error) {
    if (awsErrorKind(error) !== 'notFound') throw error;
  }
}
