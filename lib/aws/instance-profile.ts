import type { InstanceProfile as IamProfile } from '@aws-sdk/client-iam';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { InstanceProfile } from '#lib/ec2/node-class/instance-profile.ts';
import type { FoundInstanceProfile } from '#lib/model/node-class-facts.ts';
import { alreadyExists, awsErrorKind } from './errors.ts';
import { tagList } from './tags.ts';

/**
 * Makes sure that an instance profile is there and gives its one role. Done twice, it changes
 * nothing; left half done, the next call finishes it.
 *
 * Source: karpenter AWS provider v1.14, providers/instanceprofile/instanceprofile.go.
 */
export async function ensureInstanceProfile(call: AwsCall, wanted: InstanceProfile): Promise<void> {
  const { profile, role } = wanted;
  const { roles } = (await findInstanceProfile(call, profile)) ?? (await create(call, wanted));
  if (roles.includes(role)) return;
  await call('AddRoleToInstanceProfile', { InstanceProfileName: profile, RoleName: role });
}

/** The instance profile of a name; undefined where there is none. */
export async function findInstanceProfile(
  call: AwsCall,
  profile: string,
): Promise<FoundInstanceProfile | undefined> {
  try {
    const answer = await call('GetInstanceProfile', { InstanceProfileName: profile });
    return answer.InstanceProfile && foundProfile(answer.InstanceProfile);
  } catch (error) {
    if (awsErrorKind(error) === 'notFound') return undefined;
    throw error;
  }
}

/** The instance profiles that are filed under `path`, sorted by name. */
export async function findInstanceProfiles(
  call: AwsCall,
  path: string,
): Promise<readonly FoundInstanceProfile[]> {
  const found: FoundInstanceProfile[] = [];
  let marker: string | undefined;
  do {
    const answer = await call('ListInstanceProfiles', {
      PathPrefix: path,
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    found.push(...(answer.InstanceProfiles ?? []).map(foundProfile));
    marker = answer.IsTruncated === true ? answer.Marker : undefined;
  } while (marker !== undefined);
  return found.sort((a, b) => compareText(a.name, b.name));
}

const foundProfile = ({ InstanceProfileName, Roles, CreateDate }: IamProfile) => ({
  name: InstanceProfileName ?? '',
  roles: (Roles ?? []).map(({ RoleName }) => RoleName ?? ''),
  createdAt: CreateDate?.getTime() ?? 0,
});

/** Takes the roles out of an instance profile, then the profile away; what is gone is gone. */
export async function deleteInstanceProfile(
  call: AwsCall,
  { profile, roles }: { readonly profile: string; readonly roles: readonly string[] },
): Promise<void> {
  for (const role of roles) {
    await unlessGone(
      call('RemoveRoleFromInstanceProfile', { InstanceProfileName: profile, RoleName: role }),
    );
  }
  await unlessGone(call('DeleteInstanceProfile', { InstanceProfileName: profile }));
}

async function unlessGone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (awsErrorKind(error) !== 'notFound') throw error;
  }
}

async function create(
  call: AwsCall,
  wanted: InstanceProfile,
): Promise<Pick<FoundInstanceProfile, 'roles'>> {
  try {
    await call('CreateInstanceProfile', {
      InstanceProfileName: wanted.profile,
      Path: wanted.path,
      Tags: tagList(wanted.tags),
    });
  } catch (error) {
    if (!alreadyExists(error)) throw error;
    return (await findInstanceProfile(call, wanted.profile)) ?? { roles: [] };
  }
  return { roles: [] };
}
