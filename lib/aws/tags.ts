import type { Tag } from '@aws-sdk/client-ec2';
import { compareText } from '#lib/constraints/order.ts';

/** Tags as EC2 and IAM take them, sorted by key. */
export const tagList = (tags: Readonly<Record<string, string>>): { Key: string; Value: string }[] =>
  Object.entries(tags)
    .sort(([a], [b]) => compareText(a, b))
    .map(([Key, Value]) => ({ Key, Value }));

/** Tags as EC2 answers them, by key. */
export const tagsByKey = (tags: readonly Tag[] | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']));
