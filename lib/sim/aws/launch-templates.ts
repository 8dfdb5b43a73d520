import type { Account, Operations, Template } from './account.ts';
import { hex } from './account.ts';
import { describePage } from './describe.ts';
import { awsError, invalidValue, missingParameter } from './error.ts';
import {
  describeTags,
  type Fields,
  fingerprint,
  optionalText,
  optionalTexts,
  structure,
  tagsFor,
  text,
} from './request.ts';

/** Source: EC2 User Guide, Run commands at launch: 16 KB before base64. */
const USER_DATA_BYTES = 16_384;

/**
 * CreateLaunchTemplate, DescribeLaunchTemplates, DeleteLaunchTemplate. One version of each; what
 * the data names (images, groups, profiles) is looked at when it is launched, as EC2 does.
 */
export function launchTemplateOperations(account: Account): Operations {
  return {
    CreateLaunchTemplate: (input) => createTemplate(account, input),
    DescribeLaunchTemplates: (input) => describeTemplates(account, input),
    DeleteLaunchTemplate: (input) => deleteTemplate(account, input),
  };
}

/** The template that a structure names by LaunchTemplateName or LaunchTemplateId. */
export function templateNamed(account: Account, fields: Fields): Template {
  const name = optionalText(fields, 'LaunchTemplateName');
  const id = optionalText(fields, 'LaunchTemplateId');
  if (name === undefined && id === undefined) throw missingParameter('LaunchTemplateName');
  const template =
    name === undefined
      ? [...account.templates.values()].find((candidate) => candidate.id === id)
      : account.templates.get(name);
  if (template !== undefined) return template;
  throw name === undefined
    ? awsError(
        'InvalidLaunchTemplateId.NotFound',
        `The specified launch template, with template ID ${id}, does not exist.`,
      )
    : templateNameNotFound(name);
}

const templateNameNotFound = (name: string): Error =>
  awsError(
    'InvalidLaunchTemplateName.NotFoundException',
    `The specified launch template, with template name ${name}, does not exist.`,
  );

function createTemplate(account: Account, input: Fields): unknown {
  const name = text(input, 'LaunchTemplateName');
  const { ClientToken: _, ...asked } = input;
  const asText = fingerprint(asked);
  const clientToken = optionalText(input, 'ClientToken');
  const present = account.templates.get(name);
  if (present !== undefined) {
    if (clientToken !== undefined && present.clientToken === clientToken) {
      if (present.fingerprint === asText) return answerOf(account, present);
      throw parameterMismatch('launch template');
    }
    throw awsError(
      'InvalidLaunchTemplateName.AlreadyExistsException',
      `Launch template name already in use.`,
    );
  }
  if (!/^[a-zA-Z0-9().\-/_]{3,128}$/.test(name)) {
    throw awsError(
      'InvalidLaunchTemplateName.MalformedException',
      `The launch template name '${name}' is invalid. It must be 3 to 128 of the characters a-z, A-Z, 0-9 and ().-/_`,
    );
  }
  const data = structure(input, 'LaunchTemplateData');
  userDataOf(data);
  const tags = tagsFor(input, 'launch-template');
  if (input.DryRun === true) throw dryRun();
  const template: Template = {
    id: `lt-${hex(account.random, 17)}`,
    name,
    createdAt: account.clock.now(),
    data: structuredClone(data),
    tags,
    clientToken,
    fingerprint: asText,
  };
  account.templates.set(name, template);
  return answerOf(account, template);
}

/** What a dry run answers where the request would have gone through. */
export const dryRun = (): Error =>
  awsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.');

/** What EC2 says to a known client token with other parameters than the first time. */
export const parameterMismatch = (what: string): Error =>
  awsError(
    'IdempotentParameterMismatch',
    `The client token has already been used with other parameters for another ${what} request.`,
  );

/** The user data that a template's data holds, decoded; refused as EC2 refuses it. */
export function userDataOf(data: Fields): string {
  const encoded = optionalText(data, 'UserData') ?? '';
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded)) {
    throw awsError('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  }
  const decoded = Buffer.from(encoded, 'base64');
  if (decoded.length > USER_DATA_BYTES) {
    throw invalidValue(
      'UserData',
      `${decoded.length} bytes`,
      'User data is limited to 16384 bytes',
    );
  }
  return decoded.toString('utf8');
}

function describeTemplates(account: Account, input: Fields): unknown {
  const all = [...account.templates.values()];
  const names = optionalTexts(input, 'LaunchTemplateNames');
  const ids = optionalTexts(input, 'LaunchTemplateIds');
  for (const name of names ?? [])
    if (!account.templates.has(name)) throw templateNameNotFound(name);
  const named = all.filter(
    ({ name, id }) => (!names || names.includes(name)) && (!ids || ids.includes(id)),
  );
  const { items, ...rest } = describePage(named, input, ({ name, tags }) => ({
    values: { 'launch-template-name': [name] },
    tags,
  }));
  return { ...rest, LaunchTemplates: items.map((template) => describe(account, template)) };
}

function deleteTemplate(account: Account, input: Fields): unknown {
  const template = templateNamed(account, input);
  account.templates.delete(template.name);
  return answerOf(account, template);
}

const answerOf = (account: Account, template: Template): unknown => ({
  LaunchTemplate: describe(account, template),
});

const describe = (account: Account, template: Template): unknown => ({
  CreatedBy: `arn:aws:iam::${account.id}:root`,
  CreateTime: new Date(template.createdAt),
  DefaultVersionNumber: 1,
  LatestVersionNumber: 1,
  LaunchTemplateId: template.id,
  LaunchTemplateName: template.name,
  Tags: describeTags(template.tags),
});
