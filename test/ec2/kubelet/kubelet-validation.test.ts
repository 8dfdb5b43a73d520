import { describe, expect, it } from 'vitest';
import { kubeletExpressions, kubeletProblems } from '#lib/ec2/kubelet/kubelet-validation.ts';
import type { KubeletSettings } from '#lib/model/node-class.ts';

describe('kubeletProblems', () => {
  it.each<[string, KubeletSettings]>([
    ['nothing', {}],
    [
      'a percentage and a quantity',
      { evictionHard: { 'memory.available': '5%', 'nodefs.available': '1Gi' } },
    ],
    [
      'soft thresholds with their grace',
      {
        evictionSoft: { 'memory.available': '5%' },
        evictionSoftGracePeriod: { 'memory.available': '1m' },
      },
    ],
    [
      'image thresholds in order',
      { imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: 80 },
    ],
    ['a threshold that is off', { evictionHard: { 'memory.available': '100%' } }],
    ['reserved process ids', { kubeReserved: { pid: '100' } }],
  ])('finds nothing wrong with %s', (_what, kubelet) => {
    expect(kubeletProblems(kubelet, {})).toEqual([]);
  });

  it.each<[string, KubeletSettings, string]>([
    ['more than everything', { evictionHard: { 'memory.available': '101%' } }, 'evictionHard'],
    ['an empty percentage', { evictionHard: { 'memory.available': '%' } }, 'evictionHard'],
    ['a negative quantity', { evictionHard: { 'memory.available': '-1Gi' } }, 'evictionHard'],
    ['an unknown signal', { evictionHard: { cpu: '5%' } }, 'evictionHard: cpu'],
    ['soft without grace', { evictionSoft: { 'memory.available': '5%' } }, 'evictionSoft: memory'],
    [
      'grace without soft',
      { evictionSoftGracePeriod: { 'memory.available': '1m' } },
      'no evictionSoft',
    ],
    [
      'a grace that is no duration',
      { evictionSoftGracePeriod: { 'memory.available': 'soon' } },
      'soon',
    ],
    ['what cannot be reserved', { systemReserved: { gpu: '1' } }, 'systemReserved: gpu'],
    ['a negative reserve', { kubeReserved: { cpu: '-1' } }, 'kubeReserved: cpu'],
    [
      'image thresholds that meet',
      { imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 80 },
      'above',
    ],
    ['an image threshold of 101', { imageGCHighThresholdPercent: 101 }, '0 to 100'],
    ['a negative number of pods', { maxPods: -1 }, 'maxPods'],
  ])('names %s', (_what, kubelet, expected) => {
    expect(kubeletProblems(kubelet, {}).join('; ')).toContain(expected);
  });

  it('leaves taints to the NodePool', () => {
    expect(kubeletProblems({}, { registerWithTaints: [] })).toHaveLength(1);
  });
});

describe('kubeletExpressions', () => {
  it('tells expressions from values', () => {
    const kubelet = {
      maxPodsExpression: 'vcpus * 4',
      kubeReserved: { cpu: 'vcpus * 10', memory: '1Gi' },
    };

    expect(kubeletExpressions(kubelet).map(({ field }) => field)).toEqual([
      'maxPods',
      'kubeReserved.cpu',
    ]);
  });
});
