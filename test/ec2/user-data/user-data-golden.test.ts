import { describe, expect, it } from 'vitest';
import { userDataOf } from '#lib/ec2/user-data/user-data.ts';
import type { KubeletSettings, NodeClass } from '#lib/model/node-class.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

/** A claim and a kubelet that say something of everything that an instance can be told. */
const claim = aNewClaim({
  meta: { labels: { team: 'payments', 'example.com/tier': 'gold' } },
  spec: {
    taints: [{ key: 'dedicated', value: 'payments', effect: 'NoSchedule' }],
    startupTaints: [{ key: 'node.cilium.io/agent-not-ready', value: 'true', effect: 'NoExecute' }],
  },
});
const kubelet: KubeletSettings = {
  maxPods: 58,
  systemReserved: { cpu: '100m', memory: '200Mi' },
  kubeReserved: { cpu: '200m', memory: '700Mi', 'ephemeral-storage': '2Gi' },
  evictionHard: { 'memory.available': '5%', 'nodefs.available': '10%' },
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '1m30s' },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 75,
  cpuCFSQuota: false,
};

const NODE_CONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      shutdownGracePeriod: 30s
`;
const SHELL = '#!/bin/bash\nsysctl -w net.core.somaxconn=4096\n';
const SETTINGS = `[settings.ntp]
time-servers = ["169.254.169.123"]

[settings.kubernetes]
registry-qps = 20

[settings.kubernetes.node-labels]
"only/here" = "yes"

[settings.bootstrap-commands.100-motd]
commands = [["apiclient", "set", "motd=hi"]]
essential = false
mode = "always"
`;

const FAMILIES: readonly [string, Partial<NodeClass['spec']>][] = [
  ['al2.mime', { amiFamily: 'AL2', userData: SHELL, instanceStorePolicy: 'RAID0' }],
  ['al2023.mime', { amiFamily: 'AL2023', userData: NODE_CONFIG, instanceStorePolicy: 'RAID0' }],
  [
    'bottlerocket.toml',
    { amiFamily: 'Bottlerocket', userData: SETTINGS, instanceStorePolicy: 'RAID0' },
  ],
  ['windows2019.ps1', { amiFamily: 'Windows2019', userData: 'Write-Host "hello"' }],
  ['windows2022.ps1', { amiFamily: 'Windows2022', userData: 'Write-Host "hello"' }],
  ['windows2025.ps1', { amiFamily: 'Windows2025', userData: 'Write-Host "hello"' }],
  ['custom.sh', { amiFamily: 'Custom', userData: SHELL }],
];

describe('what an instance is told, family by family', () => {
  it.each(FAMILIES)('stands in golden/%s', async (file, spec) => {
    const userData = userDataOf({
      claim,
      nodeClass: aNodeClass({ spec: { ...spec, kubelet }, wire: { kubelet } }),
      capacityType: 'spot',
      maxPods: 29,
      settings: someSettings({
        clusterName: 'shop',
        clusterEndpoint: 'https://shop.example.com',
        clusterCa: 'LS0tLS1DQQ==',
        serviceCidr: '10.100.0.0/16',
        clusterDnsIp: '10.100.0.10',
      }),
    });

    await expect(userData).toMatchFileSnapshot(`golden/${file}`);
  });
});
