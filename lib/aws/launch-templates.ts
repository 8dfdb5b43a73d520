import type { CreateLaunchTemplateCommandInput } from '@aws-sdk/client-ec2';
import type { LaunchTemplate } from '#lib/model/launch.ts';
import type { AwsCall } from './call.ts';
import { alreadyExists } from './errors.ts';
import { tagList } from './tags.ts';

/**
 * Makes sure that a launch template is there. Its name is the hash of what it holds, so one that
 * exists is the one that is wanted.
 */
export async function ensureLaunchTemplate(call: AwsCall, template: LaunchTemplate): Promise<void> {
  try {
    await call('CreateLaunchTemplate', {
      LaunchTemplateName: template.name,
      LaunchTemplateData: templateData(template),
      TagSpecifications: [{ ResourceType: 'launch-template', Tags: tagList(template.tags) }],
    });
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  }
}

/** The core writes the request as plain JSON; this is where it becomes the SDK's type again. */
const templateData = ({
  data,
}: LaunchTemplate): CreateLaunchTemplateCommandInput['LaunchTemplateData'] =>
  data as CreateLaunchTemplateCommandInput['LaunchTemplateData'];
