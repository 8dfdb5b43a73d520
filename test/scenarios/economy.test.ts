import { describe, expect, it } from 'vitest';
import { anInflateWorld } from '#test/build/inflate-world.ts';
import { HOUR, MINUTE } from '#test/build/objects.ts';

type Counts = Readonly<Record<string, number>>;

/** EC2's own, by name; IAM, SSM and SQS have buckets of their own. */
const ofEc2 = (counts: Counts): readonly (readonly [string, number])[] =>
  Object.entries(counts).filter(
    ([name, times]) => times > 0 && /^(Describe|Create|Terminate|Delete|Modify|Run)/.test(name),
  );
const isMutating = ([name]: readonly [string, number]) => !name.startsWith('Describe');
const total = (counts: readonly (readonly [string, number])[]) =>
  counts.reduce((sum, [, times]) => sum + times, 0);

/** Story 1 without limits and with types of two CPUs, so that each of its pods needs a node. */
const aNodeAPod = (object: Readonly<Record<string, unknown>>) => {
  if (object.kind !== 'NodePool') return object;
  const spec = Object(object.spec);
  const template = Object(spec.template);
  const requirements = [
    ...Object(template.spec).requirements,
    {
      key: 'node.kubernetes.io/instance-type',
      operator: 'In',
      values: ['m5.large', 'm5a.large', 'm6i.large', 'c5.large', 'c6i.large'],
    },
  ];
  const nodes = { ...template, spec: { ...template.spec, requirements } };
  return { ...object, spec: { ...spec, limits: {}, template: nodes } };
};

const withoutLimits = (object: Readonly<Record<string, unknown>>) =>
  object.kind === 'NodePool' ? { ...object, spec: { ...Object(object.spec), limits: {} } } : object;

/** A Deployment of no pods that differs in name and in the nodes that its pods want. */
function deploymentLike(
  pattern: unknown,
  name: string,
  nodeSelector: Readonly<Record<string, string>>,
) {
  const { spec, ...rest } = Object(pattern);
  const labels = { app: name };
  const pod = { ...spec.template.spec, nodeSelector };
  return {
    ...rest,
    metadata: { name, namespace: 'default' },
    spec: {
      ...spec,
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: pod },
    },
  };
}

/** All that a NodeClaim asks of EC2 but the amounts, in which those of one call may differ. */
const askedOf = (claim: unknown): string =>
  JSON.stringify({ ...Object(Object(claim).spec), resources: {} });

describe('what Joinery asks of EC2', () => {
  it('is at most three calls a minute while nothing happens', async () => {
    const { pass, callsSince, untilSound } = await anInflateWorld();
    expect(await untilSound(5 * MINUTE)).toBe(true);
    callsSince();
    await pass(HOUR);
    const calls = ofEc2(callsSince());

    expect(calls.filter(isMutating)).toEqual([]);
    expect(total(calls)).toBeLessThanOrEqual(3 * 60);
    expect(Object.fromEntries(calls).DescribeInstances).toBeGreaterThan(0);
  });

  it('is at most ten changes for a thousand nodes that are alike', async () => {
    const { callsSince, stage, world, livingIds } = await anInflateWorld(aNodeAPod);
    stage.scale('inflate', 1_000);
    const isThere = await world.runUntil(() => livingIds().length >= 1_000, 5 * MINUTE);

    expect(isThere).toBe(true);
    expect(total(ofEc2(callsSince()).filter(isMutating))).toBeLessThanOrEqual(10);
  });

  it('is at most two changes for each request of a burst whose pods want different nodes', async () => {
    const { callsSince, stage, world } = await anInflateWorld(withoutLimits);
    const [pattern] = world.kubernetes.list('Deployment');
    const asking = Object.entries({
      early: { 'topology.kubernetes.io/zone': 'us-east-1a' },
      late: { 'topology.kubernetes.io/zone': 'us-east-1b' },
      firm: { 'karpenter.sh/capacity-type': 'on-demand' },
      small: { 'node.kubernetes.io/instance-type': 'm5.large' },
    });
    world.apply(asking.map(([name, nodeSelector]) => deploymentLike(pattern, name, nodeSelector)));
    for (const [name] of asking) stage.scale(name, 8);
    for (const [name] of asking) await stage.untilRunning(name, 8, 5 * MINUTE);
    const claims = world.kubernetes.list('NodeClaim');
    const requests = new Set(claims.map(askedOf));

    expect(asking.map(([name]) => stage.pods(name).filter(({ ready }) => ready).length)).toEqual(
      asking.map(() => 8),
    );
    expect(requests.size).toBeGreaterThanOrEqual(4);
    expect(claims.length).toBeGreaterThan(requests.size);
    expect(total(ofEc2(callsSince()).filter(isMutating))).toBeLessThanOrEqual(2 * requests.size);
  });

  it('falls while the account is throttled, and does not storm when it is not any more', async () => {
    const { world, pass, callsSince, untilSound } = await anInflateWorld();
    const code = 'RequestLimitExceeded';
    const throttle = world.aws.failNext({
      name: 'CreateFleet',
      code,
      times: Number.POSITIVE_INFINITY,
    });
    const perMinute: number[] = [];
    for (let minute = 0; minute < 5; minute += 1) {
      await pass(MINUTE);
      perMinute.push(callsSince().CreateFleet ?? 0);
    }
    throttle.lift();

    expect(perMinute[4]).toBeLessThanOrEqual(2);
    expect(Math.max(...perMinute.slice(1))).toBeLessThanOrEqual(perMinute[0] ?? 0);
    await pass(MINUTE);
    expect(callsSince().CreateFleet).toBeLessThanOrEqual(3);
    expect(await untilSound(5 * MINUTE)).toBe(true);
  });
});

describe('spot that is sold out', () => {
  it('in one zone is bought in the next', async () => {
    const { world, stage, untilSound } = await anInflateWorld();
    world.aws.sellOut({ capacityType: 'spot', type: '*', zone: 'us-east-1a' });

    expect(await untilSound(2 * MINUTE)).toBe(true);
    expect(stage.nodes().map(({ capacityType }) => capacityType)).not.toContain('on-demand');
  });

  it('everywhere gives way to on-demand at once, without more NodeClaims, and comes back', async () => {
    // Here only launches for pods are counted.
    const onlyEmpty = (object: Readonly<Record<string, unknown>>) =>
      JSON.parse(JSON.stringify(object).replace('WhenEmptyOrUnderutilized', 'WhenEmpty'));
    const { world, stage, pass, callsSince, untilSound } = await anInflateWorld(onlyEmpty);
    const shortage = world.aws.sellOut({ capacityType: 'spot', type: '*', zone: '*' });
    expect(await untilSound(2 * MINUTE)).toBe(true);
    const bought = stage.nodes().map(({ capacityType }) => capacityType);
    const { CreateFleet, 'create nodeclaims': created } = callsSince();

    expect(new Set(bought)).toEqual(new Set(['on-demand']));
    expect(created).toBe(bought.length);
    expect(CreateFleet).toBeLessThanOrEqual(2 * bought.length);

    await pass(10 * MINUTE);
    expect(callsSince()).toMatchObject({ CreateFleet: 0, 'create nodeclaims': 0 });

    shortage.lift();
    stage.scale('inflate', 40);
    await stage.untilRunning('inflate', 40, 3 * MINUTE);
    expect(stage.nodes().map(({ capacityType }) => capacityType)).toContain('spot');
  });

  it('everywhere is asked for again twice an hour at most for each node that it would replace', async () => {
    const { world, stage, pass, callsSince, untilSound } = await anInflateWorld();
    const shortage = world.aws.sellOut({ capacityType: 'spot', type: '*', zone: '*' });
    expect(await untilSound(2 * MINUTE)).toBe(true);
    await pass(10 * MINUTE);
    callsSince();
    await pass(HOUR);
    const { CreateFleet, 'create nodeclaims': created } = callsSince();
    const nodes = stage.nodes().length;

    expect(CreateFleet).toBeGreaterThan(0);
    expect(CreateFleet).toBeLessThanOrEqual(2 * nodes);
    expect(created).toBeLessThanOrEqual(2 * nodes);
    shortage.lift();
    await pass(70 * MINUTE);
    expect(stage.nodes().map(({ capacityType }) => capacityType)).toContain('spot');
  });

  it('makes no storm of NodeClaims where a pool takes nothing else', async () => {
    const spotOnly = (object: Readonly<Record<string, unknown>>) =>
      JSON.parse(JSON.stringify(object).replace('["spot","on-demand"]', '["spot"]'));
    const { world, pass, callsSince, untilSound } = await anInflateWorld(spotOnly);
    const shortage = world.aws.sellOut({ capacityType: 'spot', type: '*', zone: '*' });
    await pass(10 * MINUTE);
    const { CreateFleet, 'create nodeclaims': created } = callsSince();

    // Each round learns of sixty types, and what was learnt is remembered ever longer.
    expect(CreateFleet).toBeLessThanOrEqual(15);
    expect(created).toBeLessThanOrEqual(30);
    shortage.lift();
    expect(await untilSound(15 * MINUTE)).toBe(true);
  });
});
