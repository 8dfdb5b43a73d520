import type { AwsCall } from './call.ts';
import { alreadyExists, awsErrorKind } from './errors.ts';
import { tagList } from './tags.ts';

/** An instance profile as it shall be. */
export interface WantedProfile {
  readonly profile: string;
  readonly path: string;
  readonly role: string;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * Makes sure that an instance profile is there and gives its one role. Done twice, it changes
 * nothing; left half done, the next call finishes it.
 *
 * Source: karpenter AWS provider v1.14, providers/instanceprofile/instanceprofile.go.
 */
export async function ensureInstanceProfile(call: AwsCall, wanted: WantedProfile): Promise<void> {
  const roles = (await rolesOf(call, wanted.profile)) ?? (await create(call, wanted));
  // A role is attached by its name; the path before it is not part of that.
  const role = wanted.role.slice(wanted.role.lastIndexOf('/') + 1);
  if (roles.includes(role)) return;
  await call('AddRoleToInstanceProfile', { InstanceProfileName: wanted.profile, RoleName: role });
}

/** The names of a profile's roles; undefined where there is no such profile. */
export async function rolesOf(
  call: AwsCall,
  profile: string,
): Promise<readonly string[] | undefined> {
  try {
    const { InstanceProfile } = await call('GetInstanceProfile', { InstanceProfileName: profile });
    return (InstanceProfile?.Roles ?? []).map(({ RoleName }) => RoleName ?? '');
  } catch (error) {
    if (awsErrorKind(error) === 'notFound') return undefined;
    throw error;
  }
}

async function create(call: AwsCall, wanted: WantedProfile): Promise<readonly string[]> {
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
