import { describe, expect, it } from 'vitest';
import { decodeObjects } from '#lib/kube/decode/decode.ts';
import { asking, aWireNodePool, aWirePod, wireMeta } from '#test/build/wire-objects.ts';

describe('decodeObjects', () => {
  it('leaves out only the object that is bad, and says which, where and why', () => {
    const bad = aWirePod({
      metadata: { name: 'bad' },
      spec: { containers: [asking('a', { cpu: 'much' })] },
    });
    const { objects, leftOut } = decodeObjects([aWirePod(), bad, aWireNodePool()]);

    expect(objects.pods.map(({ meta }) => meta.name)).toEqual(['web']);
    expect(objects.nodePools).toHaveLength(1);
    expect(leftOut).toEqual([
      {
        object: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'bad' },
        field: 'spec.containers[0].resources.requests[cpu]',
        problem: 'found "much", expected a quantity such as 500m or 2Gi',
      },
    ]);
  });

  it('refuses another version of a kind that it knows, rather than guessing at it', () => {
    const old = { ...aWireNodePool(), apiVersion: 'karpenter.sh/v1beta1' };

    expect(decodeObjects([old]).leftOut).toMatchObject([
      { field: 'apiVersion', problem: 'found "karpenter.sh/v1beta1", expected "karpenter.sh/v1"' },
    ]);
  });

  it("does not take somebody else's kind of the same name for its own", () => {
    const foreign = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: {} };
    const { objects, unknownKinds } = decodeObjects([foreign, foreign]);

    expect(objects.workloadSelectors).toEqual([]);
    expect(unknownKinds).toEqual(['serving.knative.dev/v1 Service']);
  });

  it('reads NodeOverlays and CapacityBuffers, and knows PodTemplates without keeping them', () => {
    const overlay = {
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: wireMeta('cheaper'),
      spec: { requirements: [], price: '0.1', weight: 3 },
    };
    const buffer = {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: wireMeta('room', { namespace: 'default' }),
      spec: { podTemplateRef: { name: 'web' }, replicas: 2 },
    };
    const template = { apiVersion: 'v1', kind: 'PodTemplate', metadata: wireMeta('web') };
    const { objects, leftOut, unknownKinds } = decodeObjects([overlay, buffer, template]);

    expect(objects.nodeOverlays).toMatchObject([{ price: '0.1', weight: 3, capacity: {} }]);
    expect(objects.capacityBuffers).toMatchObject([{ podTemplate: 'web', replicas: 2 }]);
    expect([leftOut, unknownKinds]).toEqual([[], []]);
  });

  it('takes the node affinity of a volume for one that no node meets where it has no terms', () => {
    const volume = (name: string, required: object) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: wireMeta(name),
      spec: { nodeAffinity: { required } },
    });
    const { objects } = decodeObjects([
      volume('nowhere', { nodeSelectorTerms: [] }),
      { ...volume('anywhere', {}), spec: {} },
    ]);

    expect(objects.persistentVolumes.map(({ nodeAffinity }) => nodeAffinity)).toEqual([
      [{ matchExpressions: [], hasMatchFields: false }],
      [],
    ]);
  });

  it.each([null, 7, 'text', [], {}, { kind: 'Pod' }, { kind: 'Pod', apiVersion: 'v1' }])(
    'survives %j',
    (nonsense) => {
      const { leftOut, unknownKinds } = decodeObjects([nonsense]);

      expect(leftOut.length + unknownKinds.length).toBe(1);
    },
  );

  it('knows each kind that a Snapshot holds', () => {
    const object = (apiVersion: string, kind: string, fields: object = {}) => ({
      apiVersion,
      kind,
      metadata: wireMeta('it', { namespace: 'default' }),
      ...fields,
    });
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [asking('a', { cpu: '1' })] },
    };
    const { objects, leftOut, unknownKinds } = decodeObjects([
      object('v1', 'Node', {
        status: { capacity: { cpu: '2' }, conditions: [{ type: 'Ready', status: 'True' }] },
      }),
      object('karpenter.sh/v1', 'NodeClaim', {
        spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' } },
      }),
      object('karpenter.k8s.aws/v1', 'EC2NodeClass', { spec: {} }),
      object('apps/v1', 'DaemonSet', { spec: { template } }),
      object('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: '50%' } }),
      object('v1', 'PersistentVolumeClaim', { spec: { volumeName: 'pv-1' } }),
      object('v1', 'PersistentVolume', { spec: { csi: { driver: 'ebs.csi.aws.com' } } }),
      object('storage.k8s.io/v1', 'StorageClass', { provisioner: 'ebs.csi.aws.com' }),
      object('storage.k8s.io/v1', 'CSINode', {
        spec: { drivers: [{ name: 'd', allocatable: { count: 25 } }] },
      }),
      object('storage.k8s.io/v1', 'VolumeAttachment', { spec: { nodeName: 'n' } }),
      object('v1', 'Namespace'),
      object('v1', 'Service', { spec: { selector: { app: 'a' } } }),
      object('v1', 'ReplicationController'),
      object('apps/v1', 'ReplicaSet', { spec: { selector: { matchLabels: { app: 'a' } } } }),
      object('apps/v1', 'StatefulSet'),
      object('scheduling.k8s.io/v1', 'PriorityClass', { value: 7 }),
      object('apps/v1', 'Deployment'),
      object('batch/v1', 'Job'),
      object('v1', 'ConfigMap'),
    ]);

    expect({ leftOut, unknownKinds }).toEqual({ leftOut: [], unknownKinds: [] });
    expect(objects).toMatchObject({
      nodes: [{ capacity: { cpu: 2000 }, ready: { status: 'True' } }],
      nodeClaims: [{ status: { conditions: [] } }],
      nodeClasses: [
        { spec: { metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 1 } } },
      ],
      daemonSets: [
        { pod: { requests: { cpu: 1000, pods: 1 }, meta: { owners: [{ kind: 'DaemonSet' }] } } },
      ],
      podDisruptionBudgets: [{ minAvailable: '50%', disruptionsAllowed: 0 }],
      persistentVolumeClaims: [{ phase: 'Pending', volumeName: 'pv-1' }],
      persistentVolumes: [{ csiDriver: 'ebs.csi.aws.com', isLocal: false }],
      storageClasses: [{ bindingMode: 'Immediate', isDefault: false }],
      csiNodes: [{ drivers: [{ name: 'd', count: 25 }] }],
      workloadSelectors: [
        { kind: 'Service', matchLabels: { app: 'a' } },
        { kind: 'ReplicationController' },
        { kind: 'ReplicaSet', selector: { matchLabels: { app: 'a' } } },
        { kind: 'StatefulSet' },
      ],
      priorityClasses: [{ value: 7 }],
    });
  });
});
