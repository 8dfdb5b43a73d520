import { EMBEDDED_REGIONS } from '#lib/aws/embedded-table.ts';
import { identityOf } from '#lib/kube/decode/decode.ts';
import type { FileDocument } from '../read-documents.ts';
import { type Manifest, refusalsOf } from './apply-manifests.ts';
import { setStage } from './stage.ts';
import type { Stage, Story } from './story.ts';

/** A story made of the user's own manifests. */
export interface OwnStory {
  readonly story: Story;
  readonly manifests: readonly Manifest[];
  /** Tags that the embedded network gets, so that the NodeClasses' selectors find it. */
  readonly networkTags: Readonly<Record<string, string>>;
  /** What is left out, and why. */
  readonly warnings: readonly string[];
}

/** How long the workloads are given to run. */
const PATIENCE_MS = 600_000;
/** How often it is looked how many of them do. */
const GLANCE_MS = 10_000;

/**
 * The story in which the user's NodePools meet the user's workloads, or why there is none: nothing
 * to make nodes from or for, or manifests that the embedded API server refuses, each with where it
 * stands. Kinds that the embedded API server does not know are left out with a warning, as long as
 * they are not ours. It ends when every pod runs or ten minutes have passed; a pod that does not
 * run must have been told why.
 */
export function ownStory(
  documents: readonly FileDocument[],
): OwnStory | { readonly problems: readonly string[] } {
  const all = documents.map(({ file, document, object }) => ({
    where: `${file}, document ${document}`,
    object,
  }));
  const missing = whatIsMissing(all);
  if (missing !== undefined) return { problems: [missing] };
  const region = regionOf(all);
  const refused = refusalsOf(setStage({ seed: 1, region, manifests: [] }).world, all);
  const isLeftOut = ({ because, manifest }: (typeof refused)[number]) =>
    because.startsWith('no matches for kind') && !isOurs(manifest);
  const problems = refused.filter((each) => !isLeftOut(each));
  if (problems.length > 0) {
    return { problems: problems.map(({ manifest, because }) => `${manifest.where}: ${because}`) };
  }
  const leftOut = new Set(refused.map(({ manifest }) => manifest));
  return {
    story: { ...STORY, region },
    manifests: all.filter((manifest) => !leftOut.has(manifest)),
    networkTags: Object.assign({}, ...all.map(({ object }) => selectorTags(object))),
    warnings: refused.map(
      ({ manifest, because }) =>
        `warning: ${manifest.where}: left out, the embedded cluster has ${because}`,
    ),
  };
}

const kindOf = ({ object }: Manifest): string => identityOf(object).kind;

const isOurs = ({ object }: Manifest): boolean =>
  /^(karpenter\.sh|karpenter\.k8s\.aws)\//.test(identityOf(object).apiVersion);

/** Kinds of which pods come. */
const WORKLOADS = ['Deployment', 'Job', 'Pod', 'ReplicaSet', 'StatefulSet'];

function whatIsMissing(manifests: readonly Manifest[]): string | undefined {
  const kinds = new Set(manifests.map(kindOf));
  if (!kinds.has('NodePool')) {
    return 'These files hold no NodePool, so no node could be made: add one, or a folder that has one.';
  }
  if (WORKLOADS.some((kind) => kinds.has(kind))) return undefined;
  return `These files hold nothing to make a node for: add a ${WORKLOADS.slice(0, -1).join(', ')} or ${WORKLOADS.at(-1)}.`;
}

/** The embedded region that the manifests name, in a zone or as such; else us-east-1. */
function regionOf(manifests: readonly Manifest[]): string {
  const text = JSON.stringify(manifests.map(({ object }) => object));
  return EMBEDDED_REGIONS.find((region) => text.includes(region)) ?? 'us-east-1';
}

const STORY: Story = {
  number: 0,
  name: 'your-own',
  title: 'Your NodePools and workloads; the embedded network carries the tags that they select.',
  region: 'us-east-1',
  manifests: '',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    const unready = stage.unreadyPools();
    stage.check(
      'every NodePool is ready',
      unready.length === 0,
      unready.join('; ') || 'as it should be',
    );
    await playOut(stage);
    const pods = stage.pods();
    const waiting = pods.filter(({ ready }) => !ready).map(({ name }) => name);
    const told = stage.podsTold('FailedScheduling');
    const untold = waiting.filter((name) => !told.has(name));
    const [why = ''] = stage.eventsAbout(waiting, 'FailedScheduling');
    stage.check(
      'every pod runs, or was told why it does not',
      untold.length === 0,
      waiting.length === 0
        ? `${pods.length} run`
        : `${pods.length - waiting.length} run, ${waiting.length} wait, ${untold.length} of them untold; ${why}`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

/** Lets time pass until all pods run; the most pods that ran at once are the story's peak. */
async function playOut(stage: Stage): Promise<void> {
  let most = 0;
  for (let waited = 0; waited < PATIENCE_MS; waited += GLANCE_MS) {
    const allRun = await stage.untilAllRun(GLANCE_MS);
    const running = stage.nodes().reduce((sum, { pods }) => sum + pods.length, 0);
    if (running >= most && running > 0) stage.markPeak();
    most = Math.max(most, running);
    if (allRun) return;
  }
}

/** The tags by which a NodeClass selects subnets and security groups. */
function selectorTags(object: Readonly<Record<string, unknown>>): Record<string, string> {
  if (identityOf(object).kind !== 'EC2NodeClass') return {};
  const spec = Object(object.spec);
  const terms = [spec.subnetSelectorTerms, spec.securityGroupSelectorTerms].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return Object.assign({}, ...terms.map((term) => Object(term).tags));
}
