import { describe, expect, it } from 'vitest';
import { nodeCapacity } from '#lib/sim/kubernetes/node-capacity.ts';
import { readNodeConfig } from '#lib/sim/kubernetes/node-config.ts';
import type { Machine } from '#lib/sim/machine.ts';
import { M5_LARGE, nodeConfigFor } from '#test/build/small-cluster.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const capacityOf = (kubelet: object = {}, difference: Partial<Machine> = {}, more: object = {}) => {
  const machine: Machine = {
    id: 'i-1',
    type: M5_LARGE,
    zone: 'us-east-1a',
    capacityType: 'spot',
    privateDnsName: 'a',
    privateIp: '10.0.0.1',
    userData: '',
    launchedAt: 0,
    state: 'running',
    ...difference,
  };
  const config = readNodeConfig(
    nodeConfigFor({ name: 'c', endpoint: 'e' }, { config: kubelet, ...more }),
  );
  if ('problem' in config) throw new Error(config.problem);
  return nodeCapacity(machine, config);
};

describe('nodeCapacity', () => {
  it('is what an m5.large on AL2023 reports, within a percent', () => {
    const { capacity, allocatable } = capacityOf();
    expect(capacity).toMatchObject({ cpu: 2000, pods: 29 });
    expect(Math.abs((capacity.memory ?? 0) / (7748 * MIB) - 1)).toBeLessThan(0.01);
    expect(allocatable).toMatchObject({ cpu: 1930, pods: 29 });
    expect((capacity.memory ?? 0) - (allocatable.memory ?? 0)).toBe((574 + 100) * MIB);
    expect(allocatable['ephemeral-storage']).toBeGreaterThan(16.9 * GIB);
    expect(allocatable['ephemeral-storage']).toBeLessThan(17 * GIB);
  });

  it.each([
    [1, 60],
    [2, 70],
    [4, 80],
    [8, 90],
    [16, 110],
    [48, 190],
    [96, 310],
    [192, 550],
  ])('holds back of %i vCPUs %i millicores', (vcpus, reserved) => {
    const { allocatable } = capacityOf({}, { type: { ...M5_LARGE, vcpus } });
    expect(vcpus * 1000 - (allocatable.cpu ?? 0)).toBe(reserved);
  });

  it('follows the settings of the kubelet', () => {
    const { capacity, allocatable } = capacityOf({
      maxPods: 110,
      podsPerCore: 20,
      kubeReserved: { cpu: '100m', memory: '200Mi', 'ephemeral-storage': '3Gi' },
      systemReserved: { cpu: '100m', memory: '100Mi', 'ephemeral-storage': '1Gi' },
      evictionHard: { 'memory.available': '5%', 'nodefs.available': '100%' },
    });
    expect(capacity.pods).toBe(40);
    expect(allocatable.cpu).toBe(1800);
    const held = (capacity.memory ?? 0) - (allocatable.memory ?? 0);
    expect(held).toBe(300 * MIB + Math.floor((capacity.memory ?? 0) * 0.05));
    const disk = (capacity['ephemeral-storage'] ?? 0) - (allocatable['ephemeral-storage'] ?? 0);
    expect(disk).toBe(4 * GIB);
  });

  it('counts the disks of the instance where they were made its storage', () => {
    const disks = { instanceStorageGb: 900, rootVolumeGib: 30 };
    expect(capacityOf({}, disks).capacity['ephemeral-storage']).toBeLessThan(30 * GIB);
  });
});

describe('readNodeConfig', () => {
  const document = (spec: object) =>
    `--b\nContent-Type: application/node.eks.aws\n\n${JSON.stringify({ kind: 'NodeConfig', spec })}\n`;
  const archive = (...parts: string[]) =>
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n${parts.join('')}--b--\n`;
  const cluster = { name: 'c', apiServerEndpoint: 'e', certificateAuthority: 'Y2E=', cidr: '1/1' };

  it('merges NodeConfigs in order, the later winning, and passes over scripts', () => {
    const config = readNodeConfig(
      archive(
        '--b\nContent-Type: text/x-shellscript\n\n#!/bin/sh\ntrue\n',
        document({
          kubelet: { config: { maxPods: 10, podsPerCore: 2 }, flags: ['--node-labels=a=1'] },
        }),
        document({ cluster, kubelet: { config: { maxPods: 20 }, flags: ['--node-labels=a=2'] } }),
      ).replaceAll('\n', '\r\n'),
    );
    expect(config).toMatchObject({
      clusterName: 'c',
      labels: { a: '2' },
      kubelet: { maxPods: 20, podsPerCore: 2 },
    });
  });

  it('gives up without what nodeadm needs', () => {
    const { cidr: _, ...rest } = cluster;
    expect(readNodeConfig(archive(document({ cluster: rest })))).toEqual({
      problem: 'nodeadm: spec.cluster.cidr is missing in the NodeConfig',
    });
  });
});
