import { describe, expect, it } from 'vitest';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { askAboutNodeClasses } from '#lib/observe/node-classes.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aWrittenNodeClass } from '#test/build/node-class-facts.ts';
import { aCondition } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';
import { recordingCall } from '#test/build/recording-call.ts';
import { someSettings } from '#test/build/snapshots.ts';

const ask = async (
  nodeClasses: readonly NodeClass[],
  {
    all = false,
    now = NOON,
    version = { major: '1', minor: '34+' } as unknown,
    settings = {} as Partial<ClusterSettings>,
    claims = [] as readonly string[],
  } = {},
) => {
  const { call, asked } = recordingCall({});
  const ports = {
    kube: async () => ({ status: version === null ? 403 : 200, body: version }),
    aws: call,
    settings: { cluster: someSettings(settings) },
  };
  const nodeClaims = claims.map((name) => aNewClaim({ meta: { name } }));
  const answers = await askAboutNodeClasses(
    ports,
    { nodeClasses, nodeClaims },
    { takenAt: now, all, types: embeddedTable('us-east-1')?.types ?? [] },
  );
  return { ...answers, asked };
};

/** A NodeClass whose Ready was written at noon. */
const judged = (status: 'True' | 'False', meta = {}, spec = {}): NodeClass => {
  const nodeClass = aWrittenNodeClass(spec, meta);
  const ready = { ...aCondition('Ready'), status, changedAt: NOON, observedGeneration: 1 };
  return { ...nodeClass, status: { ...nodeClass.status, conditions: [ready] } };
};

describe('askAboutNodeClasses', () => {
  it.each<[string, NodeClass, number, number]>([
    ['one that nobody looked at', aWrittenNodeClass(), 0, 1],
    ['one that is ready', judged('True'), 0, 0],
    ['one that was changed', judged('True', { generation: 2 }), 0, 1],
    ['one that has just turned bad', judged('False'), 59_999, 1],
    ['one that has been bad for a minute', judged('False'), 60_000, 0],
    ['a bad one that was changed', judged('False', { generation: 2 }), 600_000, 1],
  ])('asks about %s, or leaves it to the next round of all', async (_what, one, age, times) => {
    const { facts, asked } = await ask([one], { now: NOON + age });

    expect(facts).toHaveLength(times);
    expect(asked('DescribeSubnets')).toHaveLength(times);
    expect((await ask([one], { now: NOON + age, all: true })).facts).toHaveLength(1);
  });

  it('asks the same question once for all NodeClasses', async () => {
    const { facts, asked } = await ask([
      aWrittenNodeClass({}, { name: 'a' }),
      aWrittenNodeClass({}, { name: 'b' }),
    ]);

    expect(facts).toHaveLength(2);
    expect(asked('DescribeSubnets')).toHaveLength(1);
    expect(asked('GetParameters')).toHaveLength(1);
  });

  it('takes images for the minor that the API server runs, else for the one that is set', async () => {
    const paths = async (version: unknown) => {
      const { asked, kubernetesVersion } = await ask([aWrittenNodeClass()], { version });
      return `${kubernetesVersion} ${JSON.stringify(asked('GetParameters')).match(/1\.\d\d/)}`;
    };

    expect(await paths({ major: '1', minor: '34+' })).toBe('1.34 1.34');
    expect(await paths(null)).toBe('undefined 1.33');
    expect(await paths({ major: 'one' })).toBe('undefined 1.33');
  });

  it('asks what one leaves that is going, once no NodeClaim refers to it', async () => {
    const going = aWrittenNodeClass(
      {},
      {
        deletionTimestamp: '2026-11-20T12:00:00Z',
        finalizers: ['karpenter.k8s.aws/termination'],
      },
    );
    const free = await ask([going], { all: true });
    const used = await ask([going], { claims: ['a'] });

    expect(free.facts).toEqual([]);
    expect(free.remains).toEqual([
      { nodeClass: 'default', leftBehind: { instanceProfiles: [], launchTemplates: [] } },
    ]);
    expect(used.remains).toEqual([]);
  });

  it('tells on which type a kubelet expression comes to nothing usable', async () => {
    const problem = async (cpu: string) => {
      const nodeClass = aWrittenNodeClass({ kubelet: { kubeReserved: { cpu } } });
      const { facts } = await ask([nodeClass], { settings: { kubeletExpressions: true } });
      return facts[0]?.kubeletProblem;
    };

    expect(await problem('vcpus * 10')).toBeUndefined();
    expect(await problem('0 - 1')).toMatch(/^kubeReserved\.cpu for \S+ comes to -1/);
    expect(await problem('1 / (vcpus - vcpus)')).toMatch(/^kubeReserved\.cpu for /);
  });
});
