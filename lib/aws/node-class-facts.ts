import type { AwsCall } from '#lib/aws/calls/call.ts';
import { aliasOf } from '#lib/ec2/images/ami-family.ts';
import { profilePathOf } from '#lib/ec2/node-class/instance-profile.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type {
  FoundInstanceProfile,
  NodeClassFacts,
  Unanswered,
} from '#lib/model/node-class-facts.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { findCapacityReservations } from './capacity-reservations.ts';
import { describeAwsError } from './errors.ts';
import { findImages } from './images.ts';
import { findInstanceProfile, findInstanceProfiles } from './instance-profile.ts';
import { findSecurityGroups, findSubnets, withSharedNetworks } from './network.ts';
import { findPlacementGroups } from './placement-groups.ts';

/**
 * What AWS answers about a NodeClass's selectors now. A part that could not be asked says why; it
 * does not keep the others from being known. Nothing is asked for what the spec does not select.
 */
export async function nodeClassFacts(
  call: AwsCall,
  nodeClass: NodeClass,
  settings: ClusterSettings,
): Promise<NodeClassFacts> {
  const { spec, meta } = nodeClass;
  const [subnets, securityGroups, images, instanceProfiles, optional] = await Promise.all([
    orFailure(findSubnets(call, spec.subnetSelectorTerms)),
    orFailure(findSecurityGroups(call, spec.securityGroupSelectorTerms)),
    orFailure(
      findImages(call, spec.amiSelectorTerms, {
        alias: aliasOf(nodeClass),
        kubernetesVersion: settings.kubernetesVersion,
      }),
    ),
    orFailure(findProfiles(call, nodeClass, settings)),
    optionalFacts(call, nodeClass),
  ]);
  return {
    nodeClass: meta.name,
    subnets,
    ...('failed' in subnets || 'failed' in securityGroups
      ? { securityGroups }
      : await withSharedNetworks(call, securityGroups, subnets)),
    images,
    instanceProfiles,
    ...optional,
  };
}

async function optionalFacts(
  call: AwsCall,
  { spec }: NodeClass,
): Promise<Pick<NodeClassFacts, 'capacityReservations' | 'placementGroups'>> {
  const { capacityReservationSelectorTerms: terms, placementGroupSelector: selector } = spec;
  const [capacityReservations, placementGroups] = await Promise.all([
    terms.length > 0 && orFailure(findCapacityReservations(call, terms)),
    selector !== undefined && orFailure(findPlacementGroups(call, selector)),
  ]);
  return {
    ...(capacityReservations === false ? {} : { capacityReservations }),
    ...(placementGroups === false ? {} : { placementGroups }),
  };
}

async function orFailure<T>(part: Promise<T>): Promise<T | Unanswered> {
  try {
    return await part;
  } catch (error) {
    return { failed: describeAwsError(error) };
  }
}

/**
 * One call tells which of the profiles kept for a NodeClass are there, and which have the role. A
 * profile that the NodeClass names is believed to be there where IAM is out of reach.
 *
 * Source: karpenter AWS provider v1.14, ISOLATED_VPC.
 */
async function findProfiles(
  call: AwsCall,
  nodeClass: NodeClass,
  settings: ClusterSettings,
): Promise<readonly FoundInstanceProfile[]> {
  const { instanceProfile } = nodeClass.spec;
  if (instanceProfile === undefined) {
    return await findInstanceProfiles(call, profilePathOf(nodeClass, settings));
  }
  if (settings.isolatedVpc === true) return [{ name: instanceProfile, roles: [], createdAt: 0 }];
  const found = await findInstanceProfile(call, instanceProfile);
  return found === undefined ? [] : [found];
}
