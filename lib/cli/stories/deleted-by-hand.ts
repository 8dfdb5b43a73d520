import { at } from './cast.ts';
import { counted } from './counted.ts';
import type { Stage, Story } from './story.ts';

const PODS = 6;
/** As many as the PodDisruptionBudget lets go. */
const LAST_PODS = 2;
const GONE_MS = 180_000;

/** Story 22: a person deletes a Node, a NodeClaim, and in the end what they came from. */
export const deletedByHand: Story = {
  number: 22,
  name: 'deleted-by-hand',
  title:
    'kubectl delete node, nodeclaim, ec2nodeclass, nodepool: each is drained and nothing is left.',
  region: 'us-east-1',
  manifests: '22-deleted-by-hand.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 180_000);
    stage.markPeak();

    const node = stage.nodes().find(({ pods }) => pods.length > 0)?.name ?? '';
    const lowest = await deleteAndWatch(stage, 'Node', node);
    stage.check(
      'a deleted Node is drained within the PodDisruptionBudget, its NodeClaim goes with it',
      claimOf(stage, node) === undefined && lowest >= PODS - 2,
      `never fewer than ${lowest} of ${PODS} pods`,
    );

    const next = stage.nodes().find(({ pods }) => pods.length > 0)?.name ?? '';
    const claim = claimOf(stage, next)?.metadata.name ?? '';
    const lowestNow = await deleteAndWatch(stage, 'NodeClaim', claim);
    stage.check(
      'a deleted NodeClaim takes its Node with it, in the same way',
      !stage.nodes().some(({ name }) => name === next) && lowestNow >= PODS - 2,
      `never fewer than ${lowestNow} of ${PODS} pods`,
    );
    stage.checkOneInstancePerNodeClaim();

    stage.remove('EC2NodeClass', 'default');
    await stage.pass(15_000);
    const kept = stage.objects('EC2NodeClass');
    stage.check(
      'an EC2NodeClass in use stays until it is not, and no node goes for it',
      kept.length === 1 && stage.nodeClaims().length > 0 && stage.nodes().length > 0,
      `${kept.length} of it, ${counted(stage.nodes().length, 'node')}`,
    );

    // With nowhere to go, more of them would keep their nodes for as long as their budget says.
    stage.scale('web', LAST_PODS);
    await stage.until(() => stage.pods('web').length === LAST_PODS, GONE_MS);
    stage.remove('NodePool', 'default');
    await stage.untilNoNodes(GONE_MS);
    await stage.until(() => stage.objects('EC2NodeClass').length === 0, GONE_MS);
    stage.check(
      'a deleted NodePool takes its nodes with it, and then the EC2NodeClass may go',
      stage.nodes().length === 0 && stage.objects('EC2NodeClass').length === 0,
      `${counted(stage.nodes().length, 'node')}, ${stage.objects('EC2NodeClass').length} of the EC2NodeClass`,
    );
    stage.checkNothingLeft();
  },
};

const claimOf = (stage: Stage, node: string) =>
  stage.nodeClaims().find((claim) => at(claim, 'status', 'nodeName') === node);

/**
 * Deletes it and waits until it and its like are gone and all pods run again; gives the fewest
 * pods that ran in between.
 */
async function deleteAndWatch(
  stage: Stage,
  kind: 'Node' | 'NodeClaim',
  name: string,
): Promise<number> {
  const node = kind === 'Node' ? name : String(at(named(stage, kind, name), 'status', 'nodeName'));
  let lowest = PODS;
  stage.remove(kind, name);
  await stage.until(() => {
    const ready = stage.pods('web').filter((pod) => pod.ready).length;
    lowest = Math.min(lowest, ready);
    const isGone = claimOf(stage, node) === undefined && named(stage, 'Node', node) === undefined;
    return isGone && ready === PODS;
  }, GONE_MS);
  return lowest;
}

const named = (stage: Stage, kind: 'Node' | 'NodeClaim', name: string) =>
  stage.objects(kind).find(({ metadata }) => metadata.name === name);
