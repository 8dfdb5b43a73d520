import { counted } from './counted.ts';
import { readyPods } from './stage-sights.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 3;
/** Within it each cluster has looked for instances that nobody holds. */
const TIDYING_MS = 12 * MINUTE_MS;
/** Within it for launch templates, too: those that were used an hour ago. */
const TEMPLATES_MS = 80 * MINUTE_MS;

/** Story 40: two clusters in one account and region, with the same NodePools. */
export const twoClusters: Story = {
  number: 40,
  name: 'two-clusters',
  title: 'Two clusters in one account, alike but for their names: each touches only its own.',
  region: 'us-east-1',
  manifests: '40-two-clusters.yaml',
  play: async (stage) => {
    const other = stage.neighbour?.();
    if (other === undefined) return;
    for (const each of [stage, other]) {
      await each.setUp();
      each.deploy();
    }
    for (const each of [stage, other]) await each.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();

    await interrupt(stage, other);
    await forget(stage, other);
    await leave(stage, other);
    for (const each of [stage, other]) each.checkOneInstancePerNodeClaim();
    other.checkNoFunctionFailed();
  },
};

/** EC2 takes back every node of one cluster; both hear of it. */
async function interrupt(stage: Stage, other: Stage): Promise<void> {
  const before = namesOf(other);
  const warned = namesOf(stage);
  stage.announcer?.takeBack(warned);
  const isDone = await stage.until(
    () => namesOf(stage).every((name) => !warned.includes(name)) && readyPods(stage) === PODS,
    5 * MINUTE_MS,
  );
  stage.check(
    'one cluster’s spot nodes are taken back and replaced',
    isDone,
    `${counted(warned.length, 'node')} before, ${counted(namesOf(stage).length, 'node')} now`,
  );
  stage.check(
    'the other heard of them and changed nothing',
    namesOf(other).join() === before.join() && other.announcer?.putAside() === 0,
    `${counted(namesOf(other).length, 'node')}, ${other.announcer?.putAside()} put aside`,
  );
}

/** A NodeClaim of one cluster is torn away from its instance, as a broken backup does it. */
async function forget(stage: Stage, other: Stage): Promise<void> {
  const before = instancesOf(other);
  const [claim] = stage.nodeClaims();
  const name = claim?.metadata.name ?? '';
  const node = String(Object(claim?.status).nodeName);
  const orphan = String(Object(claim?.status).providerID).split('/').at(-1) ?? '';
  tear(stage, 'NodeClaim', name);
  tear(stage, 'Node', node);
  await stage.pass(TIDYING_MS);
  const isLeft = stage.announcer?.instances().includes(orphan) ?? true;
  stage.check(
    'an instance that lost its NodeClaim is ended by its own cluster',
    orphan !== '' && !isLeft,
    isLeft ? 'it runs' : 'it ended',
  );
  stage.check(
    'the other keeps what it has',
    instancesOf(other).join() === before.join(),
    counted(instancesOf(other).length, 'instance'),
  );
}

/** One cluster gives up its NodePool and NodeClass; the other has those of the same name. */
async function leave(stage: Stage, other: Stage): Promise<void> {
  stage.scale('web', 0);
  stage.remove('NodePool', 'default');
  stage.remove('EC2NodeClass', 'default');
  await stage.untilNoNodes(10 * MINUTE_MS);
  await stage.pass(TEMPLATES_MS);
  other.scale('web', 2 * PODS);
  await other.untilRunning('web', 2 * PODS, 5 * MINUTE_MS);
  stage.check(
    'one cluster leaves, and the other still has all that it launches with',
    stage.objects('EC2NodeClass').length === 0 && readyPods(other) === 2 * PODS,
    `${counted(stage.nodes().length, 'node')} there, ${readyPods(other)} of ${counted(2 * PODS, 'pod')} here`,
  );
}

/** Deletes an object that nobody may hold on to. */
function tear(stage: Stage, kind: 'Node' | 'NodeClaim', name: string): void {
  const apiVersion = kind === 'Node' ? 'v1' : 'karpenter.sh/v1';
  stage.apply({ apiVersion, kind, metadata: { name, finalizers: null } });
  stage.remove(kind, name);
}

const namesOf = (stage: Stage): readonly string[] =>
  stage
    .nodes()
    .map(({ name }) => name)
    .sort();

const instancesOf = (stage: Stage): readonly string[] =>
  stage
    .nodeClaims()
    .map(({ status }) => String(Object(status).providerID))
    .sort();
