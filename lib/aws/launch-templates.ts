import type { CreateLaunchTemplateCommandInput } from '@aws-sdk/client-ec2';
import { NODECLASS } from '#lib/model/labels.ts';
import type { FoundLaunchTemplate, LaunchTemplate } from '#lib/model/launch.ts';
import type { AwsCall } from './call.ts';
import { alreadyExists } from './errors.ts';
import { everyPage } from './pages.ts';
import { tagList } from './tags.ts';

/** Which launch templates are known to be there; a set that lives as long as one round of acting. */
export type KnownTemplates = Set<string>;

/** How many names one question may hold. Source: EC2 API, DescribeLaunchTemplates, Filters. */
const NAMES_AT_ONCE = 200;

/**
 * Makes sure that launch templates are there. A template's name is the hash of what it holds, so
 * one that exists is the one that is wanted: which do is asked once, and only those that are
 * missing are made, so that a launch like an earlier one changes nothing.
 */
export async function ensureLaunchTemplates(
  call: AwsCall,
  templates: readonly LaunchTemplate[],
  known: KnownTemplates,
): Promise<void> {
  const unsure = templates.filter(({ name }) => !known.has(name));
  for (const name of await existing(call, unsure)) known.add(name);
  for (const template of unsure) {
    if (!known.has(template.name)) await create(call, template);
    known.add(template.name);
  }
}

/** The names of those of `templates` that EC2 lists. It may not list one yet that is new. */
async function existing(
  call: AwsCall,
  templates: readonly LaunchTemplate[],
): Promise<readonly string[]> {
  if (templates.length === 0) return [];
  const Values = templates.map(({ name }) => name).slice(0, NAMES_AT_ONCE);
  const found = await everyPage(
    (page) =>
      call('DescribeLaunchTemplates', {
        Filters: [{ Name: 'launch-template-name', Values }],
        ...page,
      }),
    ({ LaunchTemplates }) => LaunchTemplates ?? [],
  );
  return found.flatMap(({ LaunchTemplateName }) => LaunchTemplateName ?? []);
}

async function create(call: AwsCall, template: LaunchTemplate): Promise<void> {
  try {
    await call('CreateLaunchTemplate', createRequest(template));
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  }
}

/**
 * The launch templates of a cluster that Joinery or Karpenter made.
 *
 * Source: karpenter AWS provider v1.14, providers/launchtemplate/launchtemplate.go, hydrateCache.
 */
export async function listLaunchTemplates(
  call: AwsCall,
  clusterName: string,
): Promise<readonly FoundLaunchTemplate[]> {
  const Filters = [
    { Name: 'tag:eks:eks-cluster-name', Values: [clusterName] },
    { Name: 'tag-key', Values: [NODECLASS] },
  ];
  const found = await everyPage(
    (page) => call('DescribeLaunchTemplates', { Filters, ...page }),
    ({ LaunchTemplates }) => LaunchTemplates ?? [],
  );
  return found.flatMap(({ LaunchTemplateId, LaunchTemplateName, CreateTime }) =>
    LaunchTemplateId === undefined || LaunchTemplateName === undefined
      ? []
      : [{ id: LaunchTemplateId, name: LaunchTemplateName, createdAt: CreateTime?.getTime() ?? 0 }],
  );
}

/** The whole request that makes a launch template. */
export const createRequest = (template: LaunchTemplate): CreateLaunchTemplateCommandInput => ({
  LaunchTemplateName: template.name,
  LaunchTemplateData: templateData(template),
  TagSpecifications: [{ ResourceType: 'launch-template', Tags: tagList(template.tags) }],
});

/** The core writes the request as plain JSON; this is where it becomes the SDK's type again. */
const templateData = ({
  data,
}: LaunchTemplate): CreateLaunchTemplateCommandInput['LaunchTemplateData'] =>
  data as CreateLaunchTemplateCommandInput['LaunchTemplateData'];
