/**
 * What Karpenter's AWS provider v1.14 tells instances when they boot, restated. The numbers are
 * those of our list of its behaviours; upstream's own suite is providers/launchtemplate.
 */
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { isRejection } from '#lib/constraints/rejection.ts';
import { readMime } from '#lib/ec2/user-data/mime.ts';
import { userDataOf } from '#lib/ec2/user-data/user-data.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

interface Case {
  readonly amiFamily: string;
  readonly spec?: Partial<NodeClass['spec']>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly maxPods?: number;
}

function told({ amiFamily, spec = {}, labels = {}, maxPods = 29 }: Case): string {
  const userData = userDataOf({
    claim: aNewClaim({ meta: { labels } }),
    nodeClass: aNodeClass({
      spec: { amiFamily, ...spec },
      wire: spec.kubelet === undefined ? {} : { kubelet: spec.kubelet },
    }),
    capacityType: 'on-demand',
    maxPods,
    settings: someSettings(),
  });
  return isRejection(userData) ? `refused: ${userData.because}` : userData;
}

/** The documents of an archive, as their content type and their first line. */
const partsOf = (one: Case) =>
  (readMime(told(one)) ?? []).map(
    ({ headers, body }) => `${headers['Content-Type']?.split(';')[0]} ${body.split('\n')[0]}`,
  );

const nodeConfigOf = (one: Case) => parseYaml(readMime(told(one))?.at(-1)?.body ?? '').spec;

const settingsOf = (spec: Case['spec'], labels: Case['labels'] = {}) =>
  Object(parseToml(told({ amiFamily: 'Bottlerocket', spec: spec ?? {}, labels })).settings);

const SHELL = 'text/x-shellscript';
const NODE_CONFIG = 'application/node.eks.aws';
const OURS_AL2 = `${SHELL} #!/bin/bash -xe`;
const OURS_AL2023 = `${NODE_CONFIG} # Karpenter Generated NodeConfig`;

describe('12.6 user data', () => {
  it('111: AL2 puts what the user wrote before its own script, archives part by part', () => {
    const parts = (userData?: string) =>
      partsOf({ amiFamily: 'AL2', spec: userData === undefined ? {} : { userData } });
    const body = '--b\nContent-Type: text/cloud-config\n\n#cloud-config\n--b--\n';
    const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="b"'];

    expect(parts()).toEqual([OURS_AL2]);
    expect(parts('echo hello')).toEqual([`${SHELL} echo hello`, OURS_AL2]);
    for (const order of [headers, headers.toReversed()]) {
      expect(parts(`${order.join('\n')}\n\n${body}`)).toEqual([
        'text/cloud-config #cloud-config',
        OURS_AL2,
      ]);
    }
  });

  it('113: AL2023 tells NodeConfigs from scripts, and its own comes last', () => {
    const parts = (userData: string) => partsOf({ amiFamily: 'AL2023', spec: { userData } });

    expect(parts('apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n')).toEqual([
      `${NODE_CONFIG} apiVersion: node.eks.aws/v1alpha1`,
      OURS_AL2023,
    ]);
    expect(parts('#!/bin/bash\necho hello')).toEqual([`${SHELL} #!/bin/bash`, OURS_AL2023]);
  });

  it('113: AL2023 is told how many pods: what is written, else what was counted', () => {
    const maxPods = (kubelet: NodeClass['spec']['kubelet']) =>
      nodeConfigOf({ amiFamily: 'AL2023', spec: kubelet ? { kubelet } : {}, maxPods: 25 }).kubelet
        .config.maxPods;

    expect(maxPods({ maxPods: 10 })).toBe(10);
    expect(maxPods(undefined)).toBe(25);
    expect(maxPods({ maxPodsExpression: 'vcpus * 10 + 5' })).toBe(25);
  });

  it('114: local disks are joined in the way of each family', () => {
    const striped = { instanceStorePolicy: 'RAID0' };
    const bottlerocket = (version: string, userData?: string) =>
      settingsOf({
        ...striped,
        amiSelectorTerms: [{ alias: `bottlerocket@${version}` }],
        ...(userData !== undefined && { userData }),
      })['bootstrap-commands'];
    const bind = (version: string) =>
      bottlerocket(version)['000-mount-instance-storage'].commands[1].join(' ');

    expect(nodeConfigOf({ amiFamily: 'AL2023', spec: striped }).instance).toEqual({
      localStorage: { strategy: 'RAID0' },
    });
    expect(told({ amiFamily: 'AL2', spec: striped })).toContain('--local-disks raid0');
    expect(bind('v1.45.0')).toBe(
      'apiclient ephemeral-storage bind --dirs /var/lib/containerd /var/lib/kubelet /var/log/pods',
    );
    expect(bind('v1.46.0')).toBe('apiclient ephemeral-storage bind');
    const own =
      '[settings.bootstrap-commands.111-hello]\ncommands = [["echo", "hello"]]\nmode = "always"\nessential = true\n';
    expect(Object.keys(bottlerocket('latest', own)).sort()).toEqual([
      '000-mount-instance-storage',
      '111-hello',
    ]);
  });

  it('115: Bottlerocket merges labels, replaces what kubelet is told, keeps the rest', () => {
    const userData = `[settings.kubernetes.node-labels]
a = "b"
[settings.kubernetes.kube-reserved]
cpu = "900m"
[settings.ntp]
time-servers = ["169.254.169.123"]
`;
    const { kubernetes, ntp } = settingsOf(
      { userData, kubelet: { kubeReserved: { memory: '1Gi' } } },
      { a: 'c' },
    );

    expect(kubernetes['node-labels']).toMatchObject({ a: 'c' });
    expect(kubernetes['kube-reserved']).toEqual({ memory: '1Gi' });
    expect(ntp).toEqual({ 'time-servers': ['169.254.169.123'] });
    expect(told({ amiFamily: 'Bottlerocket', spec: { userData: '{' } })).toMatch(/^refused: /);
  });

  it('116: Windows runs what the user wrote before it joins, in one block', () => {
    const lines = told({ amiFamily: 'Windows2022', spec: { userData: 'Write-Host 1' } }).split(
      '\n',
    );

    expect(lines[0]).toBe('<powershell>');
    expect(lines[1]).toBe('Write-Host 1');
    expect(lines.at(-2)).toMatch(/^& \$EKSBootstrapScriptFile -EKSClusterName 'test'/);
    expect(lines.at(-1)).toBe('</powershell>');
  });

  it.each(['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022', 'Windows2025'])(
    '117: %s gives its node no label that kubelet may not give, and the one that keeps taints',
    (amiFamily) => {
      const labels = {
        'example.com/mine': 'yes',
        'kubernetes.io/x': 'no-1',
        'sub.k8s.io/y': 'no-2',
        'node-restriction.kubernetes.io/z': 'no-3',
      };
      const text = told({ amiFamily, labels });

      expect(text).toMatch(/example.com\/mine"? ?= ?"?yes/);
      expect(text).not.toMatch(/no-\d/);
      expect(text).toMatch(/karpenter.sh\/do-not-sync-taints"? ?= ?"?true/);
    },
  );

  it('117: Custom is told nothing but what the user wrote', () => {
    expect(told({ amiFamily: 'Custom', spec: { userData: 'mine\r\n' } })).toBe('mine\r\n');
    expect(told({ amiFamily: 'Custom' })).toBe('');
  });
});
