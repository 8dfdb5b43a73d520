import { describe, expect, it } from 'vitest';
import { planCommand } from '#lib/cli/plan.ts';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { FeatureGate } from '#lib/model/feature-gates.ts';

type Wire = Readonly<Record<string, unknown>>;

const nodePool = (name: string, more: Wire = {}, annotations: Wire = {}): Wire => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name, annotations },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [
          { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
        ],
      },
    },
    ...more,
  },
});
const containers = [{ name: 'a', image: 'a', resources: { requests: { cpu: '1' } } }];
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
const overlay = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: { name: 'dear' },
  spec: {
    requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }],
    price: '7',
  },
};
const buffer = (spec: Wire): Wire => ({
  apiVersion: 'autoscaling.x-k8s.io/v1beta1',
  kind: 'CapacityBuffer',
  metadata: { name: 'room' },
  spec,
});
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'api' },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'api' } },
    template: { metadata: { labels: { app: 'api' } }, spec: { containers } },
  },
};
const template = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 'api' },
  template: {
    spec: { containers, volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'd' } }] },
  },
};

function read(objects: readonly Wire[], featureGates: readonly FeatureGate[] = []) {
  const documents = objects.map((object) => ({ file: 'a.yaml', document: 1, object }));
  const made = snapshotOfFiles(documents, { settings: { featureGates } });
  if ('problems' in made) return { problems: made.problems.map(({ problem }) => problem) };
  return { plan: decideProvision(made.snapshot), warnings: made.warnings };
}

describe('plans of files with what stands behind gates', () => {
  it('heed nothing of it by default, and say so', () => {
    const objects = [nodePool('default'), nodePool('fixed', { replicas: 2 }), pod, overlay];
    const { plan, warnings } = read([
      ...objects,
      buffer({ podTemplateRef: { name: 'api' }, replicas: 1 }),
      template,
    ]);

    expect(plan?.nodeClaims).toHaveLength(1);
    expect(plan?.warnings).toEqual([
      'CapacityBuffer default/room is not heeded: the feature gate CapacityBuffer is off',
      'NodeOverlay dear is not heeded: the feature gate NodeOverlay is off',
      'NodePool fixed (replicas) is not heeded: the feature gate StaticCapacity is off',
    ]);
    expect(warnings?.some((line) => line.includes('PodTemplate'))).toBe(false);
  });

  it('buy what NodeOverlays make cheapest', () => {
    const { plan } = read([nodePool('default'), pod, overlay], ['NodeOverlay']);

    expect(plan?.nodeClaims).toMatchObject([{ cheapest: { capacityType: 'on-demand' } }]);
  });

  it('keep room by a PodTemplate, without its volumes, or by a share of a Deployment', () => {
    const byTemplate = buffer({ podTemplateRef: { name: 'api' }, replicas: 2 });
    const byShare = buffer({
      scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'api' },
      percentage: 50,
    });

    expect(
      read([nodePool('default'), template, byTemplate], ['CapacityBuffer']).plan?.buffers,
    ).toMatchObject([{ buffer: 'default/room', replicas: 2, refused: 0 }]);
    expect(
      read([nodePool('default'), deployment, byShare], ['CapacityBuffer']).plan?.buffers,
    ).toMatchObject([{ buffer: 'default/room', replicas: 2, refused: 0 }]);
  });

  it('give a static NodePool its nodes', () => {
    const { plan } = read([nodePool('fixed', { replicas: 3 })], ['StaticCapacity']);

    expect(plan?.nodeClaims).toHaveLength(3);
  });

  it('refuse what an API server would refuse of these kinds', () => {
    expect(
      read([nodePool('default'), buffer({ podTemplateRef: { name: 'api' } })]).problems,
    ).toEqual([
      'CapacityBuffer room: spec: Invalid value: If PodTemplateRef is set, replicas or limits must also be set'.replace(
        'PodTemplateRef',
        'podTemplateRef',
      ),
    ]);
    expect(
      read([{ ...overlay, spec: { ...overlay.spec, priceAdjustment: '+1' } }]).problems?.[0],
    ).toContain("cannot set both 'price' and 'priceAdjustment'");
  });

  it('take a NodePool with a bad limit in dollars for one that is not ready', () => {
    const bad = nodePool('default', {}, { 'joinery.dev/limit-usd-per-hour': 'lots' });

    expect(read([bad, pod]).plan?.refused[0]?.because).toContain(
      'annotation joinery.dev/limit-usd-per-hour is "lots", expected USD per hour such as 12.50',
    );
  });
});

describe('joinery plan', () => {
  it.each([
    [{ featureGates: 'Typo=true' }, '--feature-gates: there is no gate Typo'],
    [{ limitUsdPerHour: '$5' }, '--limit-usd-per-hour $5 is not an amount'],
    [{ consolidationMoveShare: 'half' }, '--consolidation-move-share half is not a share'],
  ])('is used wrongly with %j', async (args, message) => {
    const err: string[] = [];
    const status = await planCommand(
      { decision: 'provision', files: [], output: 'json', ...args },
      { out: () => undefined, err: (line) => err.push(line) },
    );

    expect([status, err[0]]).toEqual([2, expect.stringContaining(message)]);
  });
});
