import { describe, expect, it } from 'vitest';
import { readBufferTargets } from '#lib/kube/buffer-targets.ts';
import { gatedKinds, SNAPSHOT_KINDS, SPREAD_KINDS } from '#lib/kube/decode/decode.ts';
import { groupOf, KINDS } from '#lib/kube/kinds.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { FEATURE_GATES } from '#lib/model/feature-gates.ts';
import type { LaunchedInstance } from '#lib/model/launch.ts';
import type { Action } from '#lib/model/plan.ts';
import { readKinds } from '#lib/observe/warm-objects.ts';
import { kubeCallName } from '#lib/sim/seams.ts';
import { type ActingBench, anActingBench, refTo } from '#test/build/acting.ts';
import { anApi } from '#test/build/api-bench.ts';
import { BARRIER } from '#test/build/barriers.ts';
import { aCapacityBuffer } from '#test/build/capacity-buffers.ts';
import { aNodeClassSpec } from '#test/build/node-class-facts.ts';
import { aNodeManifest } from '#test/build/small-cluster.ts';
import { RARE_GETS, rightsIn, rightText } from '../e2e/stack/rights.ts';

const granted = rightsIn('rbac.yaml');

/** Calls as rights: "get nodes", "watch nodepools.karpenter.sh". */
function recorded(kube: KubeTransport) {
  const asked = new Set<string>();
  const groups = new Map<string, string>(
    Object.values(KINDS).map(({ plural, apiVersion }) => [plural, groupOf(apiVersion)]),
  );
  const recording: KubeTransport = (request) => {
    const name = kubeCallName(request);
    const [verb = '', resource = ''] = name.split(' ');
    asked.add(rightText({ verb, resource, group: groups.get(resource.split('/')[0] ?? '') ?? '' }));
    return kube(request);
  };
  return { asked, recording };
}

describe('watches', () => {
  it('are of the kinds that a Snapshot is made of, each of which may be kept, and are granted for no other', async () => {
    const { kube, through, cluster } = anApi();
    const { asked, recording } = recorded(kube);
    const ifMissing = (error: unknown): never => {
      throw error;
    };
    const kinds = [...SNAPSHOT_KINDS, ...SPREAD_KINDS, ...gatedKinds(FEATURE_GATES)].map(
      (kind) => ({
        kind,
        ifMissing,
      }),
    );
    const look = () => through(readKinds(recording, kinds, () => -1));
    await look();
    cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } });
    await look();
    const watched = [...asked].filter((right) => right.startsWith('watch '));

    expect(watched.sort()).toEqual(
      granted
        .filter(({ verb }) => verb === 'watch')
        .map(rightText)
        .sort(),
    );
  });
});

/** A transport through which the first write finds that somebody else was faster. */
function overtaken(kube: KubeTransport): KubeTransport {
  let isFirst = true;
  return (request) => {
    if (request.method !== 'PATCH' || !isFirst) return kube(request);
    isFirst = false;
    return Promise.resolve({ status: 409, body: { reason: 'Conflict' } });
  };
}

const LAUNCHED: LaunchedInstance = {
  id: 'i-1',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  zoneId: 'use1-az1',
  capacityType: 'on-demand',
  imageId: 'ami-1',
};

/** What each right is needed for. */
const REASONS: readonly (readonly [
  right: string,
  when: string,
  prepare: (bench: ActingBench) => Promise<Action>,
])[] = [
  [
    'get nodes',
    'a taint is lifted from a Node that has changed',
    async (bench) => {
      bench.api.cluster.apply(aNodeManifest('node-a', { taints: [BARRIER] }));
      return { kind: 'liftTaint', node: refTo(bench, 'Node', 'node-a'), taint: BARRIER, at: 0 };
    },
  ],
  [
    'get nodeclaims.karpenter.sh',
    'a NodeClaim that has changed is told which instance it has',
    async (bench) => {
      await bench.act([bench.toCreate('a')]);
      const claim = refTo(bench, 'NodeClaim', 'a');
      return { kind: 'adoptInstance', claim, instance: LAUNCHED };
    },
  ],
  [
    'get ec2nodeclasses.karpenter.k8s.aws',
    'a role cannot be given to nodes',
    async (bench) => {
      bench.api.cluster.apply({
        apiVersion: KINDS.EC2NodeClass.apiVersion,
        kind: 'EC2NodeClass',
        metadata: { name: 'default' },
        spec: aNodeClassSpec(),
      });
      const code = 'AccessDenied';
      bench.account.aws.failNext({ name: 'AddRoleToInstanceProfile', code, times: 1 });
      const nodeClass = refTo(bench, 'EC2NodeClass', 'default');
      const wanted = { profile: 'test_x', path: '/karpenter/', role: 'gone', tags: {} };
      return { kind: 'ensureInstanceProfile', nodeClass, ...wanted };
    },
  ],
];

describe('what is read again', () => {
  it.each(REASONS)('%s: where %s', async (right, _when, prepare) => {
    const bench = anActingBench();
    const action = await prepare(bench);
    const { asked, recording } = recorded(overtaken(bench.api.kube));
    await bench.act([action], {}, recording);

    expect([...asked].filter((each) => each.startsWith('get '))).toEqual([right]);
    expect(granted.map(rightText)).toEqual(expect.arrayContaining([...asked]));
  });

  it('has a reason for each right that a run on a real cluster does not prove', () => {
    expect(REASONS.map(([right]) => right).sort()).toEqual([...RARE_GETS].sort());
  });
});

describe('what CapacityBuffers refer to', () => {
  it('is what may be read for them, and nothing else', async () => {
    const { kube, through } = anApi();
    const { asked, recording } = recorded(kube);
    const scalable = ['Deployment', 'ReplicaSet', 'StatefulSet', 'Job'].map((kind) =>
      aCapacityBuffer({
        scalable: { apiGroup: kind === 'Job' ? 'batch' : 'apps', kind, name: 'web' },
      }),
    );
    await through(
      readBufferTargets(recording, [aCapacityBuffer({ podTemplate: 'web' }), ...scalable]),
    );

    expect([...asked].sort()).toEqual(
      rightsIn('rbac.yaml')
        .filter(({ verb, resource }) => verb === 'get' && TARGETS.includes(resource))
        .map(rightText)
        .sort(),
    );
  });
});

const TARGETS = ['podtemplates', 'deployments', 'replicasets', 'statefulsets', 'jobs'];
