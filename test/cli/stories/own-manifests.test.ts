import { describe, expect, it } from 'vitest';
import { ownStory } from '#lib/cli/stories/own-manifests.ts';
import { setStage } from '#lib/cli/stories/stage.ts';

type Manifest = Readonly<Record<string, unknown>>;

const TAGS = { 'karpenter.sh/discovery': 'shop' };
const NODE_CLASS: Manifest = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'mine' },
  spec: {
    role: 'nodes',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: TAGS }],
    securityGroupSelectorTerms: [{ tags: TAGS }],
  },
};
const NODE_POOL = nodePool('karpenter.sh/v1', [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
]);
const WEB = pod('web', '1');

function nodePool(apiVersion: string, requirements: readonly object[]): Manifest {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'mine' };
  return {
    apiVersion,
    kind: 'NodePool',
    metadata: { name: 'mine' },
    spec: { template: { spec: { nodeClassRef, requirements } } },
  };
}

function pod(name: string, cpu: string): Manifest {
  const containers = [{ name: 'c', image: 'c', resources: { requests: { cpu } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } };
}

const own = (objects: readonly Manifest[]) =>
  ownStory(objects.map((object, at) => ({ file: 'mine.yaml', document: at + 1, object })));

/** The checks of the story that these objects make, by name. */
async function played(objects: readonly Manifest[]) {
  const made = own(objects);
  if ('problems' in made) throw new Error(made.problems.join('\n'));
  const { story, manifests, networkTags } = made;
  const stage = setStage({ seed: 1, region: story.region, manifests, networkTags });
  await story.play(stage);
  return { stage, failed: stage.checks.filter(({ ok }) => !ok) };
}

describe("a story of the user's own manifests", () => {
  it('runs the pods, on a network with the tags that the NodeClass selects', async () => {
    const { stage, failed } = await played([WEB, NODE_POOL, NODE_CLASS]);
    expect(failed).toEqual([]);
    expect(stage.peak().map(({ capacityType, pods }) => [capacityType, pods])).toEqual([
      ['on-demand', ['web']],
    ]);
  });

  it('fails when a NodePool names an EC2NodeClass that is not there, and says which', async () => {
    const { failed } = await played([WEB, NODE_POOL]);
    expect(failed).toEqual([
      {
        name: 'every NodePool is ready',
        ok: false,
        found:
          'NodePool mine is not ready: NodeClassReady=False (NodeClassNotFound: NodeClass not found on cluster)',
      },
    ]);
  });

  it('ends well when a pod that no node could hold was told so', async () => {
    const { stage, failed } = await played([pod('giant', '5000'), NODE_POOL, NODE_CLASS]);
    expect(failed).toEqual([]);
    expect(stage.checks.map(({ found }) => found).join()).toContain('it needs 5000 cpu');
  });

  it('plays where the manifests say: the zone of a region that is embedded', () => {
    const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a'] };
    expect(own([nodePool('karpenter.sh/v1', [zone]), WEB])).toMatchObject({
      story: { region: 'us-west-2' },
    });
  });

  it('leaves out what the embedded cluster does not know, and says so', () => {
    const ingress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web' },
    };
    expect(own([NODE_POOL, ingress, WEB])).toMatchObject({
      manifests: [{ object: NODE_POOL }, { object: WEB }],
      warnings: [
        'warning: mine.yaml, document 2: left out, the embedded cluster has no matches for kind "Ingress" in version "networking.k8s.io/v1"',
      ],
    });
  });

  it.each([
    ['no NodePool', [WEB], /hold no NodePool/],
    ['nothing to run', [NODE_POOL, NODE_CLASS], /hold nothing to make a node for/],
    [
      'an old version of our kinds',
      [WEB, nodePool('karpenter.sh/v1beta1', [])],
      /^mine.yaml, document 2: no matches for kind "NodePool" in version "karpenter.sh\/v1beta1"$/,
    ],
    [
      'a NodePool that an API server refuses',
      [WEB, nodePool('karpenter.sh/v1', [{ key: 'a', operator: 'Foo' }])],
      /^mine.yaml, document 2: NodePool.karpenter.sh "mine" is invalid: .*requirements\[0\].operator: Unsupported value: "Foo"/,
    ],
    [
      'a pod in a namespace that is not there',
      [NODE_POOL, { ...WEB, metadata: { name: 'web', namespace: 'shop' } }],
      /^mine.yaml, document 2: namespaces "shop" not found$/,
    ],
  ])('does not begin with %s', (_what, objects, problem) => {
    expect(own(objects)).toEqual({ problems: [expect.stringMatching(problem)] });
  });
});
