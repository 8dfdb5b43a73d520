import { describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import { uninstallerIn } from '#lib/cli/stories/uninstaller.ts';
import { uninstallCommand } from '#lib/cli/uninstall/command.ts';
import type { CallFate } from '#lib/sim/call-faults.ts';

const FINALIZER = 'karpenter.sh/termination';
const KINDS = ['Node', 'NodeClaim', 'EC2NodeClass', 'NodePool'] as const;

/** Five pods that run on nodes of ours, in a cluster whose rights can be taken away. */
async function aClusterInUse() {
  let isWithoutRights = false;
  const deny: CallFate = { how: 'answer', status: 403 };
  const stage = setStage({
    seed: 1,
    region: inflate.region,
    manifests: manifestsOf(inflate),
    faults: {
      on: ({ actor, seam }) =>
        isWithoutRights &&
        seam === 'kube' &&
        /^(provision|consolidate|drift|interrupt)\b/.test(actor)
          ? deny
          : 'pass',
    },
  });
  await stage.setUp();
  stage.deploy();
  stage.scale('inflate', 5);
  await stage.untilRunning('inflate', 5, 300_000);
  await stage.pass(60_000);
  const { world } = stage;
  return {
    stage,
    world,
    uninstall: uninstallerIn(world),
    takeRights: () => {
      isWithoutRights = true;
    },
    finalizers: () =>
      KINDS.flatMap((kind) => world.kubernetes.list(kind))
        .flatMap(({ metadata }) => metadata.finalizers ?? [])
        .filter((each) => each.startsWith('karpenter.')),
    living: () => world.aws.machines().filter(({ state }) => state === 'running').length,
  };
}

describe('joinery uninstall', () => {
  it.each([
    [{}],
    [{ drain: true, keepNodes: true }],
    [{ drain: true, timeoutMinutes: Number.NaN }],
  ])('asks for what it needs to know, given %j', async (options) => {
    const errors: string[] = [];
    const io = {
      out: () => undefined,
      err: (line: string) => errors.push(line),
      isTerminal: false,
    };
    const connect = () => Promise.reject(new Error('not to be asked'));
    const status = await uninstallCommand(options, io, {
      connect,
      now: () => 0,
      sleep: async () => undefined,
    });

    expect(status).toBe(2);
    expect(errors.join()).toMatch(/--drain, --keep-nodes, or --hand-over|--timeout-minutes/);
  });

  it('drains: every node is ended by Joinery itself, and nothing is left', async () => {
    const { world, uninstall, living } = await aClusterInUse();

    const { status, said } = await uninstall({ drain: true });

    expect(status).toBe(0);
    expect(KINDS.flatMap((kind) => world.kubernetes.list(kind))).toEqual([]);
    expect(living()).toBe(0);
    expect(said.at(-1)).toMatch(/^Next: delete the stack/);
  });

  it('drains as long as it is told to, then names what is left, and removed nothing of ours', async () => {
    const { stage, world, uninstall } = await aClusterInUse();
    stage.apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'none', namespace: 'default' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'inflate' } } },
    });

    const { status, said } = await uninstall({ drain: true, timeoutMinutes: 3 });

    expect(status).toBe(1);
    expect(said.at(-1)).toMatch(/^still there: NodeClaim .* \(node .*PodDisruptionBudget/);
    expect(world.kubernetes.get('Namespace', '', 'joinery')).toBeDefined();
  });

  it('keeps nodes: they run on, and no deletion hangs though nobody looks after them', async () => {
    const { stage, world, uninstall, takeRights, finalizers, living } = await aClusterInUse();
    const before = living();
    expect(finalizers()).toContain(FINALIZER);

    takeRights();
    const { status, said } = await uninstall({ keepNodes: true });

    expect(status).toBe(0);
    expect(finalizers()).toEqual([]);
    expect(said.join('\n')).toMatch(/Nodes run on/);
    for (const kind of ['NodePool', 'NodeClaim', 'EC2NodeClass'] as const) {
      for (const { metadata } of stage.objects(kind)) {
        if (stage.objects(kind).some(({ metadata: { name } }) => name === metadata.name)) {
          stage.remove(kind, metadata.name);
        }
      }
    }
    await stage.pass(120_000);
    expect(stage.objects('NodeClaim')).toEqual([]);
    expect(stage.objects('EC2NodeClass')).toEqual([]);
    expect(stage.pods('inflate').filter(({ ready }) => ready)).toHaveLength(5);
    expect(living()).toBe(before);
    expect(world.kubernetes.list('Node').length).toBe(before);
  });

  it('hands over: what Karpenter would have made stays as it is, what it does not know goes', async () => {
    const { stage, uninstall, takeRights, finalizers } = await aClusterInUse();
    const before = finalizers();
    const [node] = stage.nodes();
    stage.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node?.name },
      spec: { taints: [{ key: 'joinery.dev/joining', effect: 'NoSchedule' }] },
    });

    takeRights();
    const { status, said } = await uninstall({ handOver: true });

    expect(status).toBe(0);
    expect(finalizers()).toEqual(before);
    expect(JSON.stringify(stage.objects('Node'))).not.toContain('joinery.dev/joining');
    expect(said.at(-1)).toMatch(/^Next: scale Karpenter up/);
  });
});
