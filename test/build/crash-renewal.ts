import { manifestsOf } from '#lib/cli/stories/command.ts';
import { changeSpec, goingNodes, imagesOf } from '#lib/cli/stories/disruption-sights.ts';
import { pdbAndDrift } from '#lib/cli/stories/pdb-and-drift.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import { type Crash, createFaultPlan } from '#lib/sim/faults.ts';

/** What the renewal of a drifted node came to. */
export interface RenewalRun {
  readonly struck: readonly string[];
  /** Calls until the image moved on, and until all was over. */
  readonly calls: { readonly before: number; readonly all: number };
  /** As things stand at the end. */
  readonly end: {
    readonly isRenewed: boolean;
    readonly podsReady: number;
    readonly nodes: readonly string[];
    /** Nodes that still bear the taint, NodeClaims with what a command wrote. */
    readonly left: readonly string[];
    readonly running: number;
  };
  /** The fewest pods that were ready at any second. */
  readonly fewestReady: number;
}

const PODS = 2;
const LIMIT_MS = 15 * 60_000;
/** What a lost answer, a lease and a heartbeat may take after all is renewed. */
const AFTERMATH_MS = 150_000;
const KEYS = ['joinery.dev/disruption', 'joinery.dev/replacements', 'joinery.dev/replaces'];

/** Plays the renewal of one node with two pods on it, the process dying where a crash is given. */
export async function playRenewal(crash?: Crash, seed = 1): Promise<RenewalRun> {
  const faults = createFaultPlan(crash ? [crash] : []);
  const stage = setStage({
    seed,
    region: pdbAndDrift.region,
    manifests: manifestsOf(pdbAndDrift).map(withSmallPods),
    faults,
  });
  await stage.setUp();
  stage.deploy();
  stage.scale('inflate', PODS);
  await stage.untilRunning('inflate', PODS, 180_000);
  const old = imagesOf(stage);
  const before = faults.calls().length;
  changeSpec(stage, 'EC2NodeClass', 'default', { amiSelectorTerms: [{ alias: 'al2023@latest' }] });
  const until = stage.now() + LIMIT_MS;
  let fewestReady = PODS;
  let isRenewed = false;
  const countReady = () => stage.pods('inflate').filter(({ ready }) => ready).length;
  while (!isRenewed && stage.now() < until) {
    await stage.pass(5_000);
    fewestReady = Math.min(fewestReady, countReady());
    isRenewed = stage.nodes().length > 0 && ![...imagesOf(stage)].some((image) => old.has(image));
  }
  await stage.pass(AFTERMATH_MS);
  const written = stage
    .nodeClaims()
    .filter(({ metadata }) => KEYS.some((key) => metadata.annotations?.[key] !== undefined));
  return {
    struck: faults.struck(),
    calls: { before, all: faults.calls().length },
    end: {
      isRenewed,
      podsReady: countReady(),
      nodes: stage.nodes().map(({ instanceType, nodePool }) => `${instanceType} of ${nodePool}`),
      left: [...goingNodes(stage), ...written.map(({ metadata }) => metadata.name)],
      running: stage.world.aws.machines().filter(({ state }) => state === 'running').length,
    },
    fewestReady,
  };
}

type Manifest = ReturnType<typeof manifestsOf>[number];

/** Both pods on one node, and no budget in the way of either. */
function withSmallPods(manifest: Manifest): Manifest {
  const text = JSON.stringify(manifest.object)
    .replaceAll('"cpu":1,', '"cpu":"100m",')
    .replaceAll('"minAvailable":2', '"minAvailable":1');
  return { ...manifest, object: JSON.parse(text) };
}
