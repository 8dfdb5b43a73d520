import type { InstanceProfile } from '#lib/ec2/instance-profile.ts';
import type { AwsCall } from './call.ts';
import { alreadyExists, awsErrorKind } from './errors.ts';
import { tagList } from './tags.ts';

/**
 * Makes sure that an instance profile is there and gives its one role. Done twice, it changes
 * nothing; left half done, the next call finishes it.
 *
 * Source: karpenter AWS provider v1.14, providers/instanceprofile/instanceprofile.go.
 */
export async function ensureInstanceProfile(call: AwsCall, wanted: InstanceProfile): Promise<void> {
  const roles = (await rolesOf(call, wanted.profile)) ?? (await create(call, wanted));
  const { profile, role } = wanted;
  if (roles.includes(role)) return;
  await call('AddRoleToInstanceProfile', { InstanceProfileName: profile, RoleName: role });
}

/** The names of a profile's roles; undefined where there is no such profile. */
export async function rolesOf(
  call: AwsCall,
  profile: string,
): Promise<readonly string[] | undefined> {
  try {
    const answer = await call('GetInstanceProfile', { InstanceProfileName: profile });
    return (answer.InstanceProfile?.Roles ?? []).map(({ RoleName }) => RoleName ?? '');
  } catch (error) {
    if (awsErrorKind(error) === 'notFound') return undefined;
    throw error;
  }
}

async function create(call: AwsCall, wanted: InstanceProfile): Promise<readonly string[]> {
  try {
    await call('CreateInstanceProfile', {
      InstanceProfileName: wanted.profile,
      Path: wanted.path,
      Tags: tagList(wanted.tags),
    });
    return [];
  } catch (error) {
    if (!alreadyExists(error)) throw error;
    return (await rolesOf(call, wanted.profile)) ?? [];
  }
}
