import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import type { Launch } from '#lib/model/launch.ts';
import { inputsOf, RECORDED_LAUNCHES, type RecordedLaunch } from '#test/build/recorded-launches.ts';

/** Everything that has no order, in one order. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(unordered).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, unordered(Reflect.get(value, key))]));
}

/** Tags that only Joinery's instances carry: by them a lost answer is found again. */
const OURS = ['joinery.dev/launch-group', 'karpenter.sh/nodeclaim'];

/** A request without our own tags, each template's name replaced by what it holds. */
function comparable(request: unknown, templates: ReadonlyMap<string, unknown>): unknown {
  const text = JSON.stringify(request, (_key, value) => {
    const name = value?.LaunchTemplateName;
    if (typeof name === 'string') return templates.get(name);
    return Array.isArray(value) ? value.filter((item) => !OURS.includes(item?.Key)) : value;
  });
  return merged(JSON.parse(text));
}

/** Karpenter sometimes makes two templates that hold the same; as content they are one. */
function merged(request: {
  LaunchTemplateConfigs: { LaunchTemplateSpecification: unknown; Overrides: unknown[] }[];
}): unknown {
  const byContent = new Map<string, unknown[]>();
  for (const { LaunchTemplateSpecification, Overrides } of request.LaunchTemplateConfigs) {
    const content = JSON.stringify(unordered(LaunchTemplateSpecification));
    byContent.set(content, [...(byContent.get(content) ?? []), ...Overrides]);
  }
  return unordered({ ...request, LaunchTemplateConfigs: [...byContent] });
}

/** Boundaries of MIME parts, and tables that TOML may name or leave out. */
const WITHOUT_MEANING = /^-*\/\/|^\[[a-z]+\]$/;

/** User data as the set of its words: its format is what user-data.test.ts compares. */
const wordsOf = (text: string): readonly string[] =>
  text
    .split(/[\s,"'=]+/)
    .filter((word) => word !== '' && !WITHOUT_MEANING.test(word))
    .sort();

function ofOurs({ data, tags }: Launch['launchTemplates'][number]): unknown {
  const { UserData, ...rest } = Object(data);
  const userData = wordsOf(Buffer.from(UserData, 'base64').toString());
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return unordered({ rest, userData, tags: [{ ResourceType: 'launch-template', Tags }] });
}

function ofTheirs(one: RecordedLaunch): ReadonlyMap<string, unknown> {
  return new Map(
    (one.expected.createLaunchTemplate ?? []).map((each) => {
      const { UserData, ...rest } = each.LaunchTemplateData;
      const userData = wordsOf(String(UserData));
      return [each.LaunchTemplateName, unordered({ rest, userData, tags: each.TagSpecifications })];
    }),
  );
}

/** As an API server never stores it: it writes the CRD's defaults into what lacks the field. */
const NEVER_STORED = /^metadata-absent/;

const recorded = RECORDED_LAUNCHES.filter(([id]) => !NEVER_STORED.test(id));
const refused = recorded.filter(([, { expected }]) => expected.error !== undefined);
const sent = recorded.filter(([, { expected }]) => expected.error === undefined);

describe('a launch, beside what Karpenter sends to EC2', () => {
  it.each(sent)('asks for the same: %s', (_id, one) => {
    const { claim, nodeClass, context } = inputsOf(one);
    const launch = launchOf([claim], undefined, nodeClass, context);
    if (isRejection(launch)) throw new Error(launch.because);

    const ours = new Map(launch.launchTemplates.map((each) => [each.name, ofOurs(each)]));

    expect(comparable(launch.request, ours)).toEqual(
      comparable(one.expected.createFleet?.[0], ofTheirs(one)),
    );
  });

  it.each(refused)('is refused as there: %s', (_id, one) => {
    const { claim, nodeClass, context } = inputsOf(one);

    expect(launchOf([claim], undefined, nodeClass, context)).toMatchObject({ rejected: true });
  });

  it('is compared in all 24 recorded cases but the one that no API server stores', () => {
    expect([refused.length, sent.length, RECORDED_LAUNCHES.length]).toEqual([1, 22, 24]);
  });
});
