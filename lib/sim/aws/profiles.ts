import type { Account, Operations, Profile } from './account.ts';
import { hex } from './account.ts';
import { awsError } from './error.ts';
import { describeTags, type Fields, optionalText, structures, tagsOf, text } from './request.ts';

/** How long EC2 may not know what IAM was told. Source: IAM User Guide, eventual consistency. */
const LAG_MS = [2_000, 6_000] as const;

/**
 * IAM's instance profiles. Every role that a caller names is taken to exist; policies are not
 * modelled, so nobody is ever refused for want of permission.
 */
export function profileOperations(account: Account): Operations {
  return {
    GetInstanceProfile: (input) => ({
      InstanceProfile: describeProfile(account, profileNamed(account, input)),
    }),
    CreateInstanceProfile: (input) => createProfile(account, input),
    AddRoleToInstanceProfile: (input) => addRole(account, input),
    RemoveRoleFromInstanceProfile: (input) => removeRole(account, input),
    DeleteInstanceProfile: (input) => deleteProfile(account, input),
    ListInstanceProfiles: (input) => listProfiles(account, input),
  };
}

function profileNamed(account: Account, input: Fields): Profile {
  const name = text(input, 'InstanceProfileName');
  const profile = account.profiles.get(name);
  if (profile === undefined) {
    throw awsError('NoSuchEntityException', `Instance Profile ${name} cannot be found.`);
  }
  return profile;
}

function createProfile(account: Account, input: Fields): unknown {
  const name = text(input, 'InstanceProfileName');
  if (!/^[\w+=,.@-]{1,128}$/.test(name)) {
    throw awsError(
      'ValidationError',
      'The specified value for instanceProfileName is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-',
    );
  }
  if (account.profiles.has(name)) {
    throw awsError('EntityAlreadyExistsException', `Instance Profile ${name} already exists.`);
  }
  const profile: Profile = {
    name,
    path: optionalText(input, 'Path') ?? '/',
    id: `AIPA${hex(account.random, 17).toUpperCase()}`,
    createdAt: account.clock.now(),
    tags: tagsOf(structures(input, 'Tags')),
    roles: [],
    usableAt: Number.POSITIVE_INFINITY,
  };
  account.profiles.set(name, profile);
  return { InstanceProfile: describeProfile(account, profile) };
}

function addRole(account: Account, input: Fields): unknown {
  const profile = profileNamed(account, input);
  const role = text(input, 'RoleName');
  if (profile.roles.length > 0) {
    throw awsError(
      'LimitExceededException',
      'Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1',
    );
  }
  const usableAt = account.clock.now() + account.random.between(...LAG_MS);
  account.profiles.set(profile.name, { ...profile, roles: [role], usableAt });
  return {};
}

function removeRole(account: Account, input: Fields): unknown {
  const profile = profileNamed(account, input);
  const role = text(input, 'RoleName');
  if (!profile.roles.includes(role)) {
    throw awsError('NoSuchEntityException', `The role with name ${role} cannot be found.`);
  }
  account.profiles.set(profile.name, { ...profile, roles: [], usableAt: Number.POSITIVE_INFINITY });
  return {};
}

function deleteProfile(account: Account, input: Fields): unknown {
  const profile = profileNamed(account, input);
  if (profile.roles.length > 0) {
    throw awsError(
      'DeleteConflictException',
      'Cannot delete entity, must remove roles from instance profile first.',
    );
  }
  account.profiles.delete(profile.name);
  return {};
}

function listProfiles(account: Account, input: Fields): unknown {
  const prefix = optionalText(input, 'PathPrefix') ?? '/';
  const profiles = [...account.profiles.values()]
    .filter(({ path }) => path.startsWith(prefix))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    InstanceProfiles: profiles.map((profile) => describeProfile(account, profile)),
    IsTruncated: false,
  };
}

const describeProfile = (account: Account, profile: Profile): unknown => ({
  Arn: `arn:aws:iam::${account.id}:instance-profile${profile.path}${profile.name}`,
  CreateDate: new Date(profile.createdAt),
  InstanceProfileId: profile.id,
  InstanceProfileName: profile.name,
  Path: profile.path,
  Roles: profile.roles.map((RoleName) => ({
    Arn: `arn:aws:iam::${account.id}:role/${RoleName}`,
    Path: '/',
    RoleName,
  })),
  Tags: describeTags(profile.tags),
});
