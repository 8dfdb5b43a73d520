import { at, isTrue } from './cast.ts';
import { counted } from './counted.ts';
import type { Stage, Story, StoryObject } from './story.ts';

const TAINT = 'node.cilium.io/agent-not-ready';
/** What the network's agent takes on each node, and longer than anything of ours. */
const AGENT_MS = 20_000;

/** Story 9: nodes that are not ready for pods until an agent on them says so. */
export const startupTaints: Story = {
  number: 9,
  name: 'startup-taints',
  title: "Nodes wait for the network's agent to lift its taint; pods need not tolerate it.",
  region: 'us-east-1',
  manifests: '09-startup-taints.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    const isRegistered = (claim: StoryObject) => isTrue(claim, 'Registered');
    await stage.until(
      () => stage.nodeClaims().length > 0 && stage.nodeClaims().every(isRegistered),
      180_000,
    );
    const before = stage.nodeClaims().length;
    await stage.pass(AGENT_MS);
    stage.check(
      'nodes come with the taint, for pods that do not tolerate it',
      before > 0 && tainted(stage).length === before,
      `${tainted(stage).length} of ${counted(before, 'node')}`,
    );
    const claims = stage.nodeClaims();
    stage.check(
      'none counts as initialized, and no more are made for the same pods',
      claims.length === before && !claims.some((claim) => isTrue(claim, 'Initialized')),
      counted(claims.length, 'NodeClaim'),
    );
    const early = stage.pods('web').filter(({ ready }) => ready).length;
    stage.check('no pod runs on them yet', early === 0, `${counted(early, 'pod')}`);

    for (const node of tainted(stage)) liftTaint(stage, node);
    await stage.untilRunning('web', 3, 120_000);
    await stage.until(
      () => stage.nodeClaims().every((claim) => isTrue(claim, 'Initialized')),
      60_000,
    );
    stage.check(
      'when the agent has lifted it, pods run and the nodes are initialized',
      stage.nodeClaims().every((claim) => isTrue(claim, 'Initialized')),
      `${stage.pods('web').filter(({ ready }) => ready).length} of 3 pods`,
    );
    stage.check(
      'the taint does not come back',
      tainted(stage).length === 0,
      counted(tainted(stage).length, 'tainted node'),
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

const tainted = (stage: Stage): readonly StoryObject[] =>
  stage
    .objects('Node')
    .filter((node) => taintsOf(node).some((taint) => at(taint, 'key') === TAINT));

function taintsOf(node: StoryObject): readonly unknown[] {
  const taints = at(node, 'spec', 'taints');
  return Array.isArray(taints) ? taints : [];
}

/** What the agent does. A Node's taints are one value: a patch replaces them all. */
const liftTaint = (stage: Stage, node: StoryObject): void =>
  stage.apply({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: node.metadata.name },
    spec: { taints: taintsOf(node).filter((taint) => at(taint, 'key') !== TAINT) },
  });
