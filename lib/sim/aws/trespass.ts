import type { Account } from './account.ts';
import { type Fields, isFields, type Tags } from './request.ts';

/** A thing that a call would change, end or launch by; tags undefined where it is not there. */
interface Touched {
  readonly name: string;
  readonly tags: Tags | undefined;
}

/** Source: karpenter AWS provider v1.14, the tag of everything that is made for a cluster. */
const OWNER = 'eks:eks-cluster-name';

/**
 * What of others a call would touch that is made in the name of one cluster: instances, launch
 * templates and instance profiles that are there and do not carry its tag. Nothing is held back:
 * IAM would, by the same tags.
 */
export const trespassesOf = (
  account: Account,
  clusterName: string,
  name: string,
  input: unknown,
): readonly string[] =>
  (isFields(input) ? (TOUCHED[name]?.(account, input) ?? []) : [])
    .filter(({ tags }) => tags !== undefined && tags[OWNER] !== clusterName)
    .map((each) => `${clusterName}: ${name} of ${each.name}, of ${each.tags?.[OWNER] ?? 'nobody'}`);

const instances = (ids: unknown, { instancesById }: Account): readonly Touched[] =>
  listed(ids).map((id) => ({ name: id, tags: instancesById.get(id)?.tags }));

const template = (name: unknown, { templates }: Account): readonly Touched[] => {
  const found = [...templates.values()].find((each) => each.name === name || each.id === name);
  return [{ name: String(name), tags: found?.tags }];
};

const profile = (account: Account, { InstanceProfileName: name }: Fields): readonly Touched[] => [
  { name: String(name), tags: account.profiles.get(String(name))?.tags },
];

const TOUCHED: Readonly<Record<string, (account: Account, input: Fields) => readonly Touched[]>> = {
  TerminateInstances: (account, { InstanceIds }) => instances(InstanceIds, account),
  CreateTags: (account, { Resources }) => instances(Resources, account),
  DeleteLaunchTemplate: (account, input) =>
    template(input.LaunchTemplateName ?? input.LaunchTemplateId, account),
  CreateFleet: (account, { LaunchTemplateConfigs }) =>
    (Array.isArray(LaunchTemplateConfigs) ? LaunchTemplateConfigs : []).flatMap((config) => {
      const { LaunchTemplateName, LaunchTemplateId } = Object(config).LaunchTemplateSpecification;
      return template(LaunchTemplateName ?? LaunchTemplateId, account);
    }),
  AddRoleToInstanceProfile: profile,
  RemoveRoleFromInstanceProfile: profile,
  DeleteInstanceProfile: profile,
};

const listed = (ids: unknown): readonly string[] => (Array.isArray(ids) ? ids.map(String) : []);
