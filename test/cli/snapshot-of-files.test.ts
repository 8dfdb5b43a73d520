import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileDocument } from '#lib/cli/read-documents.ts';
import { type FileSnapshotOptions, snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { conditionOf } from '#lib/model/conditions.ts';

type Wire = Readonly<Record<string, unknown>>;

const inFiles = (objects: readonly Wire[]): FileDocument[] =>
  objects.map((object, at) => ({ file: 'a.yaml', document: at + 1, object }));

function read(objects: readonly Wire[], options: FileSnapshotOptions = {}) {
  const made = snapshotOfFiles(inFiles(objects), options);
  if ('problems' in made) throw new Error(made.problems.map(({ problem }) => problem).join('\n'));
  return made;
}

function problemsIn(objects: readonly Wire[]): readonly string[] {
  const made = snapshotOfFiles(inFiles(objects));
  if (!('problems' in made)) throw new Error('expected problems, found a Snapshot');
  return made.problems.map(({ document, problem }) => `${document} ${problem}`);
}

const pod = (name: string, spec: Wire = {}, rest: Wire = {}): Wire => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'a', image: 'a' }], ...spec },
  ...rest,
});
const workload = (kind: string, spec: Wire = {}, metadata: Wire = {}): Wire => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: { name: 'web', ...metadata },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    },
    ...spec,
  },
});
const nodePool = (spec: Wire = {}, requirements: readonly Wire[] = []): Wire => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements,
      },
    },
    ...spec,
  },
});
const inZone = (zone: string) => ({
  key: 'topology.kubernetes.io/zone',
  operator: 'In',
  values: [zone],
});

describe('snapshotOfFiles', () => {
  it('takes a pod without a status for one that the scheduler could not place', () => {
    expect(read([pod('web')]).snapshot.pods).toMatchObject([
      {
        meta: { namespace: 'default', uid: expect.stringMatching(/./) },
        phase: 'Pending',
        scheduled: { status: 'False', reason: 'Unschedulable' },
      },
    ]);
  });

  it('takes a gated pod for gated, and one with a node for running', () => {
    const pods = [pod('a', { schedulingGates: [{ name: 'wait' }] })];
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    const { snapshot } = read([...pods, pod('b', { nodeName: 'n' }), node]);

    expect(snapshot.pods).toMatchObject([{ scheduled: { reason: 'SchedulingGated' } }]);
    expect(snapshot.nodes[0]?.pods).toMatchObject([{ phase: 'Running' }]);
  });

  it('gives a pod the priority of its class', () => {
    const high = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 9,
    };
    const pods = [
      pod('a', { priorityClassName: 'high' }),
      pod('b', { priorityClassName: 'system-node-critical' }),
      pod('c'),
    ];

    expect(read([high, ...pods]).snapshot.pods.map(({ priority }) => priority)).toEqual([
      9, 2_000_001_000, 0,
    ]);
  });

  describe('of workloads whose pods the files do not hold', () => {
    it.each([
      ['Deployment', { replicas: 2 }, ['web-1', 'web-2'], 'ReplicaSet'],
      ['ReplicaSet', {}, ['web-1'], 'ReplicaSet'],
      ['StatefulSet', { replicas: 2 }, ['web-0', 'web-1'], 'StatefulSet'],
      ['Job', { parallelism: 3, completions: 2 }, ['web-1', 'web-2'], 'Job'],
      ['Job', { suspend: true }, [], 'Job'],
      ['Deployment', { replicas: 0 }, [], 'ReplicaSet'],
    ])('makes the pods of a %s %j', (kind, spec, names, owner) => {
      const { snapshot, warnings } = read([workload(kind, spec)]);

      expect(snapshot.pods.map(({ meta }) => meta.name)).toEqual(names);
      for (const { meta } of snapshot.pods)
        expect(meta.owners).toMatchObject([{ kind: owner, controller: true }]);
      expect(warnings.some((warning) => warning.startsWith(`${kind} default/web: `))).toBe(
        names.length > 0,
      );
    });

    it('makes none where one of its pods is there', () => {
      const one = pod('web-x', {}, { metadata: { name: 'web-x', labels: { app: 'web' } } });

      expect(read([workload('Deployment', { replicas: 5 }), one]).snapshot.pods).toHaveLength(1);
    });

    it('makes them once for a Deployment and its ReplicaSet', () => {
      const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'x' };
      const set = workload(
        'ReplicaSet',
        { replicas: 3 },
        { name: 'web-1a', ownerReferences: [owner] },
      );

      expect(read([workload('Deployment', { replicas: 3 }), set]).snapshot.pods).toHaveLength(3);
    });

    it('makes the ReplicaSet between a Deployment and its pods, which selects them', () => {
      const { snapshot } = read([workload('Deployment', { replicas: 2 })]);
      const [made, ...others] = snapshot.workloadSelectors;
      const [first] = snapshot.pods;

      expect(others).toEqual([]);
      expect(made?.kind).toBe('ReplicaSet');
      expect(made?.selector?.matchLabels).toEqual(first?.meta.labels);
      expect(first?.meta.owners[0]).toMatchObject({ name: made?.meta.name, uid: made?.meta.uid });
    });

    it('makes the volume claims that a StatefulSet would', () => {
      const volumeClaimTemplates = [
        { metadata: { name: 'data' }, spec: { storageClassName: 'gp3' } },
      ];
      const { snapshot } = read([workload('StatefulSet', { volumeClaimTemplates })]);

      expect(snapshot.pods).toMatchObject([
        { volumes: [{ volume: 'data', claimName: 'data-web-0' }] },
      ]);
      expect(snapshot.persistentVolumeClaims).toMatchObject([
        { meta: { name: 'data-web-0' }, storageClassName: 'gp3', phase: 'Pending' },
      ]);
    });

    it('says which cannot be read, and goes on', () => {
      const { snapshot, warnings } = read([workload('Deployment', { replicas: 'many' }), pod('a')]);

      expect(snapshot.pods).toHaveLength(1);
      expect(warnings).toContain(
        'Deployment default/web: replicas: found "many", expected a whole number; its pods were not made',
      );
    });
  });

  it('takes a missing EC2NodeClass for ready, in every zone, and says so', () => {
    const { snapshot, warnings } = read([nodePool()]);
    const [nodeClass] = snapshot.nodeClasses;

    expect(conditionOf(nodeClass?.status.conditions ?? [], 'Ready')?.status).toBe('True');
    expect(nodeClass?.status.subnets.map(({ zone }) => zone)).toContain('us-east-1a');
    expect(warnings).toEqual([
      'EC2NodeClass default is not in the files: taken as ready, in every zone of the catalog',
    ]);
    expect(snapshot.catalog.byNodeClass.get('default')?.length).toBeGreaterThan(1_000);
  });

  it('looks prices up in the region that the files name', () => {
    expect(read([nodePool({}, [inZone('us-west-2b')])]).snapshot.catalog.region).toBe('us-west-2');
    expect(problemsIn([nodePool({}, [inZone('eu-north-1a')])])).toEqual([
      expect.stringContaining('eu-north-1, of which no prices are embedded'),
    ]);
  });

  it.each([
    [{ minAvailable: 1 }, 2],
    [{ minAvailable: '50%' }, 1],
    [{ maxUnavailable: 1 }, 0],
    [{ maxUnavailable: '100%' }, 3],
  ])('counts what a PodDisruptionBudget of %j allows, where it has no status', (spec, allowed) => {
    const labels = { app: 'web' };
    const web = (name: string, nodeName: string) =>
      pod(name, { nodeName }, { metadata: { name, labels } });
    const pods = [web('a', 'n'), web('b', 'n'), web('c', 'n'), web('d', '')];
    const selector = { matchLabels: labels };
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { ...spec, selector },
    };

    expect(read([budget, ...pods]).snapshot.podDisruptionBudgets).toMatchObject([
      { disruptionsAllowed: allowed },
    ]);
  });

  it('takes a Node that says nothing of its state for Ready, with all it has', () => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      status: { capacity: { cpu: '2' } },
    };

    expect(read([node]).snapshot.nodes).toMatchObject([
      { node: { ready: { status: 'True' }, allocatable: { cpu: 2000 } } },
    ]);
  });

  it('takes a claim that names its volume for bound, unless it says otherwise', () => {
    const claim = (name: string, rest: Wire = {}) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { volumeName: 'pv-1' },
      ...rest,
    });
    const { snapshot } = read([
      claim('plain'),
      claim('told', { status: { phase: 'Pending' } }),
      claim('waits', { spec: {} }),
    ]);

    expect(
      snapshot.persistentVolumeClaims.map(({ phase, meta }) => [
        phase,
        meta.annotations['pv.kubernetes.io/bind-completed'],
      ]),
    ).toEqual([
      ['Bound', 'yes'],
      ['Pending', undefined],
      ['Pending', undefined],
    ]);
  });

  it('takes the latest instant in the files for now, unless it is told another', () => {
    const at = (creationTimestamp: string) =>
      pod('a', {}, { metadata: { name: 'a', creationTimestamp } });

    expect(read([at('2026-03-04T05:06:07Z')]).snapshot.takenAt).toBe(Date.UTC(2026, 2, 4, 5, 6, 7));
    expect(read([pod('a')]).snapshot.takenAt).toBe(Date.UTC(2026, 0, 1));
    expect(read([at('2026-03-04T05:06:07Z')], { now: 7 }).snapshot.takenAt).toBe(7);
  });

  it('refuses an object of our kinds in the words of the API server', () => {
    expect(problemsIn([pod('a'), nodePool({ weight: 101 })])).toEqual([
      '2 NodePool default: spec.weight: Invalid value: 101: spec.weight in body should be less than or equal to 100',
    ]);
    expect(problemsIn([{ ...nodePool(), apiVersion: 'karpenter.sh/v1beta1' }])).toEqual([
      '1 NodePool default: no matches for kind "NodePool" in version "karpenter.sh/v1beta1"',
    ]);
  });

  it('refuses the same object twice, because their order would matter', () => {
    const named = pod('a', {}, { metadata: { name: 'a', namespace: 'default' } });

    expect(problemsIn([pod('a'), named])).toEqual([
      '2 Pod default/a stands already in a.yaml, document 1',
    ]);
  });

  it('leaves out a bad pod and unknown kinds, and says so', () => {
    const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'x' } };
    const { snapshot, warnings } = read([
      nodePool(),
      pod('bad', { containers: 7 }),
      foo,
      pod('good'),
    ]);

    expect(snapshot.pods.map(({ meta }) => meta.name)).toEqual(['good']);
    expect(warnings).toEqual(
      expect.arrayContaining([
        'Pod default/bad is left out: spec.containers: found 7, expected a list',
        'example.com/v1 Foo: objects of this kind are left out',
      ]),
    );
  });

  it('leaves out objects that are none in the middle, and says where', () => {
    const broken = [
      { ...pod('a'), spec: 5 },
      pod('b', { affinity: [1] }),
      pod('c', {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [7] } },
      }),
    ];

    expect(read([...broken, pod('good')]).warnings).toEqual(
      expect.arrayContaining([
        'Pod default/a is left out: spec: found 5, expected an object',
        'Pod default/b is left out: spec.affinity: found a list, expected an object',
        expect.stringMatching(
          /^Pod default\/c is left out: spec\.affinity\.podAffinity\..*found 7/,
        ),
      ]),
    );
  });

  it('writes out what label keys of affinity terms stand for, as an API server does', () => {
    const labelSelector = { matchLabels: { app: 'web' } };
    const term = {
      topologyKey: 'zone',
      labelSelector,
      matchLabelKeys: ['hash', 'missing'],
      mismatchLabelKeys: ['tenant'],
    };
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const podAntiAffinity = {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
    };
    const metadata = { name: 'web', labels: { hash: '7', tenant: 't' } };
    const once = pod('web', { affinity: { podAffinity, podAntiAffinity } }, { metadata });
    const [made] = read([once]).snapshot.pods;
    const expressions = [
      { key: 'hash', operator: 'In', values: ['7'] },
      { key: 'tenant', operator: 'NotIn', values: ['t'] },
    ];

    expect(made?.podAffinity.required[0]?.selector?.matchExpressions).toEqual(expressions);
    expect(made?.podAntiAffinity.preferred[0]?.term.selector?.matchExpressions).toEqual(
      expressions,
    );
    const stored = { ...term, labelSelector: { ...labelSelector, matchExpressions: expressions } };
    const again = pod(
      'web',
      {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [stored] },
        },
      },
      { metadata },
    );
    expect(
      read([again]).snapshot.pods[0]?.podAffinity.required[0]?.selector?.matchExpressions,
    ).toEqual(expressions);
  });

  it('marks as sold out what Joinery remembers of it', () => {
    const data = { 'on-demand.m5.large.us-east-1a': '2026-01-01T00:03:00Z' };
    const memory = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'sold-out', namespace: 'joinery' },
      data,
    };
    const { snapshot } = read([nodePool(), memory]);
    const type = snapshot.catalog.byNodeClass
      .get('default')
      ?.find(({ name }) => name === 'm5.large');
    const soldOut = type?.offerings.filter(({ available }) => !available);

    expect(soldOut).toMatchObject([{ zone: 'us-east-1a', capacityType: 'on-demand' }]);
  });

  it('gives the same Snapshot in whatever order the objects stand', () => {
    const objects = [nodePool(), pod('b'), pod('a'), workload('Deployment', { replicas: 2 })];
    const bytes = (list: readonly Wire[]) =>
      JSON.stringify({ ...read(list), catalog: undefined }, (key, value) =>
        key === 'catalog' ? undefined : value,
      );

    fc.assert(
      fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
        expect(bytes(shuffled)).toBe(bytes(objects));
      }),
      { numRuns: 10 },
    );
  });
});
