import { describe, expect, it } from 'vitest';
import { decodePod } from '#lib/kube/decode/decode-pod.ts';
import { asking, aWirePod } from '#test/build/wire-objects.ts';

describe('decodePod', () => {
  it('fills in what the API server would have, where a pod says little', () => {
    expect(decodePod(aWirePod())).toMatchObject({
      requests: { pods: 1 },
      tolerations: [],
      schedulerName: 'default-scheduler',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      graceSeconds: 30,
      phase: 'Pending',
    });
  });

  it('leaves out what is not there, rather than saying it is undefined', () => {
    const pod = decodePod(aWirePod({ spec: { nodeName: '' }, status: { nominatedNodeName: '' } }));

    for (const key of ['nodeName', 'nominatedNodeName', 'startedAt', 'scheduled', 'ready']) {
      expect(Object.keys(pod)).not.toContain(key);
    }
  });

  it('keeps what the scheduler found, and whether the pod is ready', () => {
    const conditions = [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
      { type: 'Ready', status: 'True' },
    ];

    expect(decodePod(aWirePod({ status: { conditions } }))).toMatchObject({
      scheduled: { status: 'False', reason: 'Unschedulable' },
      ready: 'True',
    });
  });

  it('tells the missing selector, which selects nothing, from the empty one', () => {
    const term = (labelSelector?: object) => ({ topologyKey: 'zone', labelSelector });
    const podAntiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [term(), term({})],
    };
    const { required } = decodePod(
      aWirePod({ spec: { affinity: { podAntiAffinity } } }),
    ).podAntiAffinity;

    expect(required.map(({ selector }) => selector)).toEqual([
      undefined,
      { matchLabels: {}, matchExpressions: [] },
    ]);
  });

  it.each(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'])(
    'reads node affinity with the operator %s',
    (operator) => {
      const matchExpressions = [{ key: 'cpu', operator, values: ['4'] }];
      const nodeAffinity = {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions }],
        },
      };
      const pod = decodePod(aWirePod({ spec: { affinity: { nodeAffinity } } }));

      expect(pod.nodeAffinity.required).toMatchObject([{ matchExpressions }]);
    },
  );

  it('reads node affinity, its alternatives and its preferences', () => {
    const zone = { key: 'zone', operator: 'In', values: ['a'] };
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [zone] },
          { matchFields: [{ key: 'metadata.name' }] },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 7, preference: { matchExpressions: [zone] } },
      ],
    };

    expect(decodePod(aWirePod({ spec: { affinity: { nodeAffinity } } })).nodeAffinity).toEqual({
      required: [
        { matchExpressions: [zone], hasMatchFields: false },
        { matchExpressions: [], hasMatchFields: true },
      ],
      preferred: [{ weight: 7, term: { matchExpressions: [zone], hasMatchFields: false } }],
    });
  });

  it('takes a required node affinity without terms for one that no node meets', () => {
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
    };

    expect(decodePod(aWirePod({ spec: { affinity: { nodeAffinity } } })).nodeAffinity).toEqual({
      required: [{ matchExpressions: [], hasMatchFields: false }],
      preferred: [],
    });
  });

  it('names the claim of an ephemeral volume as its controller does', () => {
    const volumes = [
      { name: 'config', configMap: { name: 'x' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data-0' } },
      {
        name: 'scratch',
        ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'gp3' } } },
      },
    ];

    expect(decodePod(aWirePod({ spec: { volumes } })).volumes).toEqual([
      { volume: 'data', claimName: 'data-0' },
      { volume: 'scratch', claimName: 'web-scratch', ephemeral: { storageClassName: 'gp3' } },
    ]);
  });

  describe('ports of the node', () => {
    it('stand on every address and are of TCP, unless they say otherwise', () => {
      const ports = [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 53, hostPort: 53, hostIP: '10.0.0.1', protocol: 'UDP' },
      ];

      expect(
        decodePod(aWirePod({ spec: { containers: [asking('a', {}, { ports })] } })).hostPorts,
      ).toEqual([
        { ip: '0.0.0.0', port: 80, protocol: 'TCP' },
        { ip: '10.0.0.1', port: 53, protocol: 'UDP' },
      ]);
    });

    const portsOf = (spec: object) =>
      decodePod(aWirePod({ spec: { ...spec } })).hostPorts.map(({ port }) => port);
    const ports = (hostPort?: number) => ({ ports: [{ containerPort: 80, hostPort }] });

    it.each([
      ['those of containers', { containers: [asking('a', {}, ports(8080))] }, [8080]],
      [
        'none, where only a port of the pod is named',
        { containers: [asking('a', {}, ports())] },
        [],
      ],
      [
        'every port, on the network of the host',
        { hostNetwork: true, containers: [asking('a', {}, ports())] },
        [80],
      ],
      [
        'those of sidecars',
        { initContainers: [asking('s', {}, { ...ports(9090), restartPolicy: 'Always' })] },
        [9090],
      ],
      [
        'not those of init containers that end',
        { initContainers: [asking('s', {}, ports(9090))] },
        [],
      ],
    ])('are %s', (_what, spec, expected) => {
      expect(portsOf(spec)).toEqual(expected);
    });
  });

  it.each([
    [
      'spec.containers[0].resources.requests[cpu]',
      { containers: [asking('a', { cpu: 'lots' })] },
      'found "lots", expected a quantity such as 500m or 2Gi',
    ],
    [
      'spec.containers[0].resources.requests[memory]',
      { containers: [asking('a', { memory: '-1' })] },
      'found "-1", expected a quantity of 0 or more, such as 500m or 2Gi',
    ],
    [
      'spec.tolerations[1].effect',
      { tolerations: [{ operator: 'Exists' }, { effect: 'Never' }] },
      'found "Never", expected one of NoSchedule, PreferNoSchedule, NoExecute',
    ],
    [
      'spec.containers[1].ports[0].hostPort',
      { containers: [asking('a', {}), asking('b', {}, { ports: [{ hostPort: 'eighty' }] })] },
      'found "eighty", expected a whole number',
    ],
    ['spec.nodeSelector[disk]', { nodeSelector: { disk: true } }, 'found true, expected a string'],
    [
      'spec.affinity.nodeAffinity',
      { affinity: { nodeAffinity: [] } },
      'found a list, expected an object',
    ],
    [
      'spec.topologySpreadConstraints[0].maxSkew',
      { topologySpreadConstraints: [{ topologyKey: 'zone' }] },
      'found nothing, expected a whole number',
    ],
  ])('says that %s is bad', (field, spec, problem) => {
    expect(() => decodePod(aWirePod({ spec }))).toThrow(
      expect.objectContaining({ name: 'DecodeError', field, problem }),
    );
  });
});
