import { aliasOf } from '#lib/ec2/ami-family.ts';
import { instanceProfileOf } from '#lib/ec2/instance-profile.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodeClassFacts } from '#lib/model/node-class-facts.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { AwsCall } from './call.ts';
import { describeAwsError } from './errors.ts';
import { findImages } from './images.ts';
import { rolesOf } from './instance-profile.ts';
import { findSecurityGroups, findSubnets } from './network.ts';

/**
 * What AWS answers about a NodeClass's selectors now. A part that could not be asked says why; it
 * does not keep the others from being known.
 */
export async function nodeClassFacts(
  call: AwsCall,
  nodeClass: NodeClass,
  settings: ClusterSettings,
): Promise<NodeClassFacts> {
  const { spec, meta } = nodeClass;
  const [subnets, securityGroups, images, instanceProfile] = await Promise.all([
    orFailure(findSubnets(call, spec.subnetSelectorTerms)),
    orFailure(findSecurityGroups(call, spec.securityGroupSelectorTerms)),
    orFailure(
      findImages(call, spec.amiSelectorTerms, {
        alias: aliasOf(nodeClass),
        kubernetesVersion: settings.kubernetesVersion,
      }),
    ),
    orFailure(findProfile(call, nodeClass, settings)),
  ]);
  return {
    nodeClass: meta.name,
    subnets,
    securityGroups,
    images,
    ...(instanceProfile === undefined ? {} : { instanceProfile }),
  };
}

async function orFailure<T>(part: Promise<T>): Promise<T | { readonly failed: string }> {
  try {
    return await part;
  } catch (error) {
    return { failed: describeAwsError(error) };
  }
}

/** The profile that Joinery keeps for the NodeClass, if it is complete. */
async function findProfile(
  call: AwsCall,
  nodeClass: NodeClass,
  settings: ClusterSettings,
): Promise<string | undefined> {
  const wanted = instanceProfileOf(nodeClass, settings);
  if (wanted === undefined) return nodeClass.spec.instanceProfile;
  const roles = await rolesOf(call, wanted.profile);
  return roles?.includes(wanted.role) ? wanted.profile : undefined;
}
