import type { CreateLaunchTemplateCommandInput } from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { NODECLASS } from '#lib/model/labels.ts';
import type { FoundLaunchTemplate, Launch, LaunchTemplate } from '#lib/model/launch.ts';
import { alreadyExists } from './errors.ts';
import { everyPage } from './pages.ts';
import { tagList } from './tags.ts';

/**
 * Launch templates that are there or being made, by name, each with the end of its making. Lives
 * as long as one round of acting, so that launches side by side make a template once.
 */
export type KnownTemplates = Map<string, Promise<unknown>>;

/** How many names one question may hold. Source: EC2 API, DescribeLaunchTemplates, Filters. */
const NAMES_AT_ONCE = 200;

/**
 * Makes sure that the launch templates are there that a launch needs, and answers the names of
 * those that are. A template's name is the hash of what it holds, so one that exists is the one
 * that is wanted: which do is asked once, and only what is missing is made, so that a launch like
 * an earlier one changes nothing, and one of a new kind makes one template.
 */
export async function ensureLaunchTemplates(
  call: AwsCall,
  { launchTemplates, dispensable }: Pick<Launch, 'launchTemplates' | 'dispensable'>,
  known: KnownTemplates,
): Promise<ReadonlySet<string>> {
  const unsure = launchTemplates.filter(({ name }) => !known.has(name));
  for (const name of await existing(call, unsure)) known.set(name, Promise.resolve());
  const missing = launchTemplates.filter(({ name }) => !known.has(name));
  const needed = missing.filter(({ name }) => !dispensable.includes(name));
  for (const template of needed.length > 0 ? needed : missing.slice(0, 1)) {
    known.set(template.name, create(call, template));
  }
  const there = launchTemplates.flatMap(({ name }) => known.get(name)?.then(() => name) ?? []);
  return new Set(await Promise.all(there));
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
