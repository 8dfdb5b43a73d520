import { describe, expect, it } from 'vitest';
import { podRequests } from '#lib/kube/decode/pod-requests.ts';
import { asking } from '#test/build/wire-objects.ts';

const sidecar = { restartPolicy: 'Always' };
const GIB = 2 ** 30;

describe('podRequests', () => {
  it.each([
    [
      'the sum of its containers',
      { containers: [asking('a', { cpu: '1' }), asking('b', { cpu: '500m' })] },
      1500,
    ],
    [
      'its largest init container, when that is more',
      {
        containers: [asking('a', { cpu: '1' })],
        initContainers: [asking('i', { cpu: '3' }), asking('j', { cpu: '2' })],
      },
      3000,
    ],
    [
      'containers and sidecars together',
      {
        containers: [asking('a', { cpu: '1' })],
        initContainers: [asking('s', { cpu: '2' }, sidecar)],
      },
      3000,
    ],
    [
      'an init container beside the sidecars that stand before it',
      {
        containers: [asking('a', { cpu: '1' })],
        initContainers: [
          asking('s', { cpu: '2' }, sidecar),
          asking('i', { cpu: '3' }),
          asking('t', { cpu: '1' }, sidecar),
        ],
      },
      5000,
    ],
    [
      'an init container without the sidecars that stand after it',
      {
        containers: [asking('a', { cpu: '1' })],
        initContainers: [asking('i', { cpu: '3' }), asking('s', { cpu: '1' }, sidecar)],
      },
      3000,
    ],
    [
      'the overhead of its runtime on top',
      { containers: [asking('a', { cpu: '1' })], overhead: { cpu: '250m' } },
      1250,
    ],
    [
      'what the pod itself says, instead of its containers',
      { containers: [asking('a', { cpu: '1' })], resources: { requests: { cpu: '4' } } },
      4000,
    ],
    [
      'its limit, where it names no request',
      { containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] },
      2000,
    ],
    ['nothing, where it names nothing', { containers: [{ name: 'a' }] }, undefined],
  ])('counts %s', (_what, spec, cpu) => {
    expect(podRequests(spec, {}).cpu).toBe(cpu);
  });

  it('takes one place among the pods of its node', () => {
    expect(podRequests({ containers: [] }, {})).toEqual({ pods: 1 });
  });

  it('lets the pod overrule cpu, memory and huge pages only', () => {
    const containers = [asking('a', { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' })];
    const resources = { requests: { memory: '2Gi', 'nvidia.com/gpu': '4' } };

    expect(podRequests({ containers, resources }, {})).toEqual({
      cpu: 1000,
      memory: 2 * GIB,
      'nvidia.com/gpu': 1,
      pods: 1,
    });
  });

  const resized = (given: string) => ({
    containerStatuses: [
      { name: 'a', resources: { requests: { cpu: given } }, allocatedResources: { cpu: '1' } },
    ],
  });

  it('counts the larger of what is asked and what is given, while a resize is under way', () => {
    const shrinking = { containers: [asking('a', { cpu: '1' })] };

    expect(podRequests(shrinking, resized('3')).cpu).toBe(3000);
  });

  it('counts what is given, when a resize cannot be done', () => {
    const growing = { containers: [asking('a', { cpu: '8' })] };
    const conditions = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];

    expect(podRequests(growing, { ...resized('3'), conditions }).cpu).toBe(3000);
  });
});
