import { EMBEDDED_REGIONS } from '#lib/aws/embedded-table.ts';
import { identityOf } from '#lib/kube/decode.ts';
import type { FileDocument } from '../read-documents.ts';
import type { Manifest } from './stage.ts';
import type { Story } from './story.ts';

/** A story made of the user's own manifests. */
export interface OwnStory {
  readonly story: Story;
  readonly manifests: readonly Manifest[];
  /** Tags that the embedded network gets, so that the NodeClasses' selectors find it. */
  readonly networkTags: Readonly<Record<string, string>>;
}

/** How long the workloads are given to run. */
const PATIENCE_MS = 600_000;

/**
 * The story in which the user's NodePools meet the user's workloads, or why there is none. It ends
 * when every pod runs or ten minutes have passed; a pod that does not run must have been told why.
 */
export function ownStory(documents: readonly FileDocument[]): OwnStory | { problem: string } {
  const manifests = documents.map(({ file, document, object }) => ({
    where: `${file}, document ${document}`,
    object,
  }));
  const kindOf = ({ object }: Manifest) => identityOf(object).kind;
  if (!manifests.some((manifest) => kindOf(manifest) === 'NodePool')) {
    return {
      problem:
        'These files hold no NodePool, so no node could be made: add one, or a folder that has one.',
    };
  }
  return {
    story: { ...STORY, region: regionOf(manifests) },
    manifests,
    networkTags: Object.assign({}, ...manifests.map(({ object }) => selectorTags(object))),
  };
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
    const isSettled = () => stage.pods().length > 0 && stage.pods().every(({ ready }) => ready);
    await stage.world.runUntil(isSettled, PATIENCE_MS);
    const waiting = stage.pods().filter(({ ready }) => !ready);
    const told = stage.eventsAbout(
      waiting.map(({ name }) => name),
      'FailedScheduling',
    );
    stage.check(
      'every pod runs, or was told why it does not',
      waiting.length === 0 || told.length > 0,
      waiting.length === 0
        ? `${stage.pods().length} run`
        : `${waiting.length} wait: ${told[0] ?? ''}`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

/** The tags by which a NodeClass selects subnets and security groups. */
function selectorTags(object: Readonly<Record<string, unknown>>): Record<string, string> {
  if (identityOf(object).kind !== 'EC2NodeClass') return {};
  const spec = Object(object.spec);
  const terms = [spec.subnetSelectorTerms, spec.securityGroupSelectorTerms].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return Object.assign({}, ...terms.map((term) => Object(term).tags));
}
