import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { userDataOf } from '#lib/ec2/user-data.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { KubeletSettings } from '#lib/model/node-class.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

interface RecordedCase {
  readonly id: string;
  readonly spec: { readonly userData?: string; readonly kubelet?: KubeletSettings };
  readonly maxPods: number;
  readonly cluster: Readonly<Record<string, string>>;
  readonly expected: { readonly userData?: string; readonly error?: string };
}

const recorded: readonly RecordedCase[] = JSON.parse(
  readFileSync('test/recorded/karpenter-user-data.json', 'utf8'),
).cases;

const inPool: NodeClaim = {
  ...aNewClaim(),
  meta: { ...aNewClaim().meta, labels: { 'karpenter.sh/nodepool': 'default' } },
};

const settingsOf = ({ cluster }: RecordedCase) =>
  someSettings({
    clusterName: cluster.name ?? '',
    clusterEndpoint: cluster.endpoint ?? '',
    clusterCa: cluster.certificateAuthority ?? '',
    serviceCidr: cluster.serviceCidr ?? '',
    clusterDnsIp: cluster.dnsIp ?? '',
  });

const render = (claim: NodeClaim) =>
  userDataOf({
    claim,
    nodeClass: aNodeClass(),
    capacityType: 'spot',
    maxPods: 29,
    settings: someSettings(),
  });

describe('userDataOf', () => {
  it.each(recorded.map((one) => [one.id, one] as const))(
    'is byte for byte what Karpenter renders: %s',
    (_id, one) => {
      const nodeClass = aNodeClass({ spec: one.spec, wire: one.spec });
      const settings = settingsOf(one);
      const { maxPods, expected } = one;
      const userData = userDataOf({
        claim: inPool,
        nodeClass,
        capacityType: 'on-demand',
        maxPods,
        settings,
      });

      if (expected.userData === undefined) expect(userData).toMatchObject({ by: 'nodeClass' });
      else expect(userData).toBe(expected.userData);
    },
  );

  it('registers the node with its taints, those of start-up, and the one that keeps pods off', () => {
    const userData = render(
      aNewClaim({
        spec: {
          taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
          startupTaints: [{ key: 'cilium', value: '', effect: 'NoExecute' }],
        },
      }),
    );

    expect(userData).toMatch(
      /registerWithTaints:\n *- effect: NoSchedule\n *key: team\n *value: a\n *- effect: NoExecute\n *key: cilium\n *- effect: NoExecute\n *key: karpenter.sh\/unregistered\n/,
    );
  });

  it('asks kubelet for no label that it may not give itself, and none of our bookkeeping', () => {
    const labels = { 'joinery.dev/launch-group': 'g', 'example.com/team': 'a' };
    const userData = render(aNewClaim({ meta: { labels } }));

    expect(/--node-labels="([^"]*)"/.exec(String(userData))?.[1]?.split(',')).toEqual([
      'example.com/team=a',
      'karpenter.k8s.aws/ec2nodeclass=default',
      'karpenter.sh/capacity-type=spot',
      'karpenter.sh/do-not-sync-taints=true',
      'karpenter.sh/nodepool=default',
    ]);
  });
});
