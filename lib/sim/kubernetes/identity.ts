import type { Random } from '../random.ts';
import { type JsonRecord, textAt, without } from './json.ts';
import { nameProblem } from './names.ts';
import type { Resource } from './resources.ts';
import {
  badRequest,
  invalid,
  invalidValue,
  isRefusal,
  type Refusal,
  requiredValue,
} from './status.ts';
import type { Metadata } from './wire.ts';

/** Where the names and uids of new objects come from. */
export interface Identities {
  readonly uids: Random;
  readonly names: Random;
}

/** A new object's metadata as the API server completes it, or what is wrong with what was asked. */
export function newMetadata(
  identities: Identities,
  resource: Resource,
  namespace: string,
  asked: JsonRecord,
): Omit<Metadata, 'creationTimestamp'> | Refusal {
  const name = newName(identities.names, resource, asked);
  if (isRefusal(name)) return name;
  if (resource.namespaced && (textAt(asked, 'namespace') ?? namespace) !== namespace) {
    return badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  const fixed = without(
    asked,
    'namespace',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'managedFields',
  );
  return {
    ...fixed,
    name,
    ...(resource.namespaced ? { namespace } : {}),
    uid: newUid(identities.uids),
    resourceVersion: '',
    ...(resource.hasGeneration ? { generation: 1 } : {}),
  };
}

function newName(random: Random, resource: Resource, asked: JsonRecord): string | Refusal {
  const prefix = textAt(asked, 'generateName') ?? '';
  const given = textAt(asked, 'name') ?? '';
  if (given === '' && prefix === '') {
    const why = requiredValue('metadata.name', 'name or generateName is required');
    return invalid(resource, '', [why]);
  }
  const name = given === '' ? `${prefix}${nameSuffix(random)}` : given;
  const problem = nameProblem(resource, name);
  if (problem === undefined) return name;
  return invalid(resource, name, [invalidValue('metadata.name', name, problem)]);
}

/** Source: kubernetes v1.36, apimachinery util/rand: no vowels, no 0, 1, 3. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Five letters that make a generated name unlike the others. */
function nameSuffix(random: Random): string {
  let text = '';
  for (let length = 0; length < 5; length += 1) {
    text += SUFFIX_LETTERS[random.between(0, SUFFIX_LETTERS.length - 1)];
  }
  return text;
}

/** A version 4 UUID, as random as the stream is. */
function newUid(random: Random): string {
  let digits = '';
  while (digits.length < 32) digits += random.between(0, 0xffff).toString(16).padStart(4, '0');
  const variant = '89ab'[Number.parseInt(digits[16] ?? '0', 16) % 4];
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join('-');
}
