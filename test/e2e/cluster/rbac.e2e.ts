import { afterAll, beforeAll, expect, it } from 'vitest';
import { pathOf } from '#lib/kube/kinds.ts';
import { deployments, NODE_CLASS, NODE_POOL } from '#test/build/placement.ts';
import { auditedCalls } from '../stack/audit.ts';
import type { KubeObject } from '../stack/cluster-client.ts';
import { until } from '../stack/control-plane.ts';
import { type RealWorld, realWorld } from '../stack/real-world.ts';
import { isRare, rightsIn, rightText } from '../stack/rights.ts';

const SPREAD =
  '{maxSkew: 50, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway}';
/** What has further kinds read. */
const GATES = {
  JOINERY_FEATURE_GATES: 'NodeOverlay=true,CapacityBuffer=true',
  JOINERY_SCHEDULER_CONFIG: `{podTopologySpread: {defaultConstraints: [${SPREAD}]}}`,
};
const WAIT_MS = 120_000;

let world: RealWorld;
beforeAll(async () => {
  world = await realWorld({
    isQuiet: true,
    install: { bind: true },
  });
});
afterAll(() => world?.end());

const buffer = (name: string, spec: object) => ({
  apiVersion: 'autoscaling.x-k8s.io/v1beta1',
  kind: 'CapacityBuffer',
  metadata: { name, namespace: 'default' },
  spec: { ...spec, replicas: 1 },
});

const POD = {
  metadata: { labels: { app: 'spare' } },
  spec: { containers: [{ name: 'spare', image: 'pause', resources: { requests: { cpu: '1' } } }] },
};

/** A pod that no budget lets go, so that only the end of the grace makes it. */
const STUBBORN = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'app-0', namespace: 'default' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'app-0' } } },
};

/** Told so by each process anew. */
const HOPELESS = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'hopeless', namespace: 'default' },
  spec: {
    containers: [{ name: 'hopeless', image: 'pause', resources: { requests: { cpu: '1000' } } }],
  },
};

const isStubborn = ({ metadata }: KubeObject): boolean => metadata.labels?.app === 'app-0';

const running = async (): Promise<readonly KubeObject[]> =>
  (await world.cluster.list('Pod')).filter(({ status }) => status?.phase === 'Running');

it('what infra/cluster grants is asked for, and nothing else is', async () => {
  const { cluster } = world;
  const pool = structuredClone(NODE_POOL) as unknown as { spec: { template: { spec: object } } };
  pool.spec.template.spec = { ...pool.spec.template.spec, terminationGracePeriod: '15s' };
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'spare', namespace: 'default' },
    template: POD,
  });
  for (const object of [NODE_CLASS, pool, STUBBORN, ...deployments(4)]) {
    await cluster.apply(object as unknown as Readonly<Record<string, unknown>>);
  }
  await cluster.apply({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'fee' },
    spec: {
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      priceAdjustment: '+10%',
    },
  });
  await cluster.apply(buffer('of-template', { podTemplateRef: { name: 'spare' } }));
  for (const [kind, name] of [
    ['Deployment', 'app-1'],
    ['ReplicaSet', 'not-there'],
    ['StatefulSet', 'not-there'],
  ]) {
    const scalableRef = { apiGroup: 'apps', kind, name };
    await cluster.apply(buffer(`of-${kind?.toLowerCase()}`, { scalableRef }));
  }
  await cluster.apply(HOPELESS);

  // Pods are bound by the first, and nominated by the second that takes its place.
  const first = await world.start({ env: { ...GATES, JOINERY_PLACEMENT: 'bind' } });
  await until(
    async () => (await running()).length === 4,
    WAIT_MS,
    () => 'four pods run',
  );
  await first.kill();
  await ageEvents();
  await world.start({ env: GATES });
  for (const at of [0, 1, 2, 3]) {
    const path = `${pathOf('Deployment', { namespace: 'default', name: `app-${at}` })}/scale`;
    await cluster.patch(path, { spec: { replicas: 40 } });
  }
  await until(
    async () => (await running()).length === 160,
    WAIT_MS,
    () => '160 pods run',
  );

  // By the end of its grace the first node goes though a budget forbids it; the second is drained.
  const hosts = await running();
  const kept = new Set(hosts.filter(isStubborn).map(({ spec }) => spec.nodeName));
  const forced = hosts.find(isStubborn)?.spec.nodeName;
  const drained = hosts.find(({ spec }) => !kept.has(spec.nodeName))?.spec.nodeName;
  const claims = await cluster.list('NodeClaim');
  const claim = claims.find(({ status }) => status?.nodeName === forced)?.metadata.name ?? '';
  await cluster.remove(pathOf('NodeClaim', { name: claim }));
  await cluster.remove(pathOf('Node', { name: drained }));
  await until(
    async () => {
      const left = (await cluster.list('Node')).map(({ metadata }) => metadata.name);
      return !left.includes(forced) && !left.includes(drained);
    },
    WAIT_MS,
    () => `Nodes ${forced} and ${drained} are gone`,
  );

  const calls = auditedCalls(world.plane).filter(({ resource }) => resource !== '');
  const asked = new Set(calls.map(rightText));
  const rights = [...rightsIn('rbac.yaml'), ...rightsIn('bind/rbac.yaml')].map(rightText);

  expect(calls.filter(({ status }) => status === 403)).toEqual([]);
  expect(rights.filter((right) => !isRare(right) && !asked.has(right))).toEqual([]);
}, 600_000);

/** Makes what was said minutes old, so that saying it again counts it up. */
async function ageEvents(): Promise<void> {
  const { cluster } = world;
  const before = new Date(Date.now() - 600_000).toISOString().replace('Z', '000Z');
  for (const { metadata, reportingController } of await cluster.list('Event')) {
    if (reportingController !== 'joinery') continue;
    const { namespace = '', name } = metadata;
    await cluster.patch(pathOf('Event', { namespace, name }), {
      series: { count: 2, lastObservedTime: before },
    });
  }
}
