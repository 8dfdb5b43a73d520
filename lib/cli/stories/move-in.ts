import { at, isTrue } from './cast.ts';
import { counted } from './counted.ts';
import type { Stage, Story, StoryObject } from './story.ts';

const OURS = 'joinery.dev/';
const KARPENTER = 'karpenter-7d9c8f6b5-x2x4k_a1b2';
/** Longer than Joinery would take. */
const IDLE_MS = 25_000;

/** Story 32: Joinery takes over from Karpenter, and could be taken over from. */
export const moveIn: Story = {
  number: 32,
  name: 'move-in',
  title: 'A cluster of Karpenter: nothing is done while it runs; then all is taken over as it is.',
  region: 'us-east-1',
  manifests: '32-move-in.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', 6, 180_000);
    await stage.until(
      () => stage.nodeClaims().every((claim) => isTrue(claim, 'Initialized')),
      60_000,
    );
    holdLease(stage, KARPENTER);
    // A turn that had begun by then may still write.
    await stage.pass(15_000);
    makeKarpenters(stage);
    await stage.pass(1_000);
    const before = identities(stage);

    stage.scale('web', 12);
    await stage.pass(IDLE_MS);
    stage.check(
      'while Karpenter holds its Lease nothing is made or taken away',
      identities(stage) === before,
      counted(stage.nodeClaims().length, 'NodeClaim'),
    );
    const ours = stage.nodeClaims().concat(stage.objects('Node')).flatMap(marksOfOurs);
    stage.check('nor is anything marked as ours', ours.length === 0, ours.join(', ') || 'nothing');

    holdLease(stage, '');
    await stage.untilRunning('web', 12, 180_000);
    await stage.pass(IDLE_MS);
    const now = identities(stage).split('\n');
    const lost = before.split('\n').filter((line) => !now.includes(line));
    stage.check(
      'when it lets go, its NodeClaims, Nodes and instances are kept as they are',
      lost.length === 0,
      lost.join(', ') || counted(before.split('\n').length, 'object'),
    );
    const foreign = stage.nodeClaims().flatMap((claim) => whatKarpenterWouldMiss(claim));
    stage.check(
      'and Karpenter could take over again: every NodeClaim is one that it would know',
      foreign.length === 0,
      foreign.join(', ') || counted(stage.nodeClaims().length, 'NodeClaim'),
    );
    const tainted = stage
      .objects('Node')
      .filter((node) => JSON.stringify(at(node, 'spec', 'taints') ?? []).includes(OURS));
    stage.check('no node keeps a taint of ours', tainted.length === 0, `${tainted.length} nodes`);
    stage.checkOneInstancePerNodeClaim();
  },
};

/** Whatever is moved would show: names, uids, instances. */
const identities = (stage: Stage): string =>
  [...stage.nodeClaims(), ...stage.objects('Node')]
    .map((object) => {
      const provider = at(object, 'status', 'providerID') ?? at(object, 'spec', 'providerID');
      return `${object.metadata.name} ${object.metadata.uid} ${provider}`;
    })
    .sort()
    .join('\n');

/** Takes away all that Karpenter would not have written: then it could have made them. */
function makeKarpenters(stage: Stage): void {
  const kinds = [
    ['karpenter.sh/v1', 'NodeClaim'],
    ['karpenter.sh/v1', 'NodePool'],
    ['karpenter.k8s.aws/v1', 'EC2NodeClass'],
    ['v1', 'Node'],
  ] as const;
  for (const [apiVersion, kind] of kinds) {
    for (const object of stage.objects(kind)) {
      const annotations = Object.fromEntries(marksOfOurs(object).map((key) => [key, null]));
      if (Object.keys(annotations).length === 0) continue;
      stage.apply({ apiVersion, kind, metadata: { name: object.metadata.name, annotations } });
    }
  }
}

const marksOfOurs = ({ metadata }: StoryObject): readonly string[] =>
  Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith(OURS));

/** Source: karpenter v1.14, operator.go, LeaderElectionID; an empty holder is what it leaves behind. */
function holdLease(stage: Stage, holderIdentity: string): void {
  const renewTime = new Date(stage.now()).toISOString().replace('Z', '000Z');
  stage.apply({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
    spec: { holderIdentity, leaseDurationSeconds: 3_600, renewTime },
  });
}

/** Source: karpenter v1.14, apis/v1/labels.go and nodeclaim_status.go. */
function whatKarpenterWouldMiss(claim: StoryObject): readonly string[] {
  const { name, annotations = {}, finalizers = [] } = claim.metadata;
  return [
    ...['Launched', 'Registered', 'Initialized'].filter((type) => !isTrue(claim, type)),
    ...['karpenter.sh/nodepool-hash', 'karpenter.sh/nodepool-hash-version'].filter(
      (key) => annotations[key] === undefined,
    ),
    ...(finalizers.includes('karpenter.sh/termination') ? [] : ['its finalizer']),
  ].map((missing) => `${name} lacks ${missing}`);
}
