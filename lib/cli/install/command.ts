import { stringify } from 'yaml';
import type { Io } from '#lib/cli/io.ts';
import { KubeFailure } from '#lib/kube/errors.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { applyManifest } from './apply.ts';
import { manifests, type Wanted } from './manifests.ts';
import { HAND_OVER, runningKarpenter } from './running-karpenter.ts';

/** What `joinery install` is told. */
export interface InstallOptions extends Wanted {
  readonly dryRun?: boolean;
}

/** What the command needs of the world. */
export interface InstallPorts {
  readonly connect: () => Promise<KubeTransport>;
  readonly now: () => number;
}

/**
 * Puts into the cluster what Joinery needs there; with --dry-run it prints that instead, for kubectl
 * or for a repository of manifests, and asks no cluster. Gives the exit status: 1 where the address
 * is none, Karpenter runs, or the API server refuses.
 */
export async function installCommand(
  options: InstallOptions,
  io: Io,
  { connect, now }: InstallPorts,
): Promise<number> {
  const problem = urlProblem(options.webhookUrl);
  if (problem !== undefined) return fail(io, problem);
  const wanted = manifests(options);
  if (options.dryRun) {
    io.out(wanted.map((each) => stringify(each)).join('---\n'));
    return 0;
  }
  try {
    const kube = await connect();
    const karpenter = await runningKarpenter(kube, now());
    if (karpenter !== undefined) {
      return fail(
        io,
        `Karpenter runs in this cluster: ${karpenter}. Nothing was changed.\n${HAND_OVER}`,
      );
    }
    for (const each of wanted) io.out(await applyManifest(kube, each));
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error;
    return fail(io, error.message);
  }
  io.out(nextStep(options));
  return 0;
}

function urlProblem(url: string | undefined): string | undefined {
  if (url === undefined || /^https:\/\/[^\s/]+\/\S+$/.test(url)) return undefined;
  return `--webhook-url is ${JSON.stringify(url)}: expected an https address with a path, as the stack's output WebhookUrl gives it`;
}

function fail(io: Io, because: string): number {
  io.err(because);
  return 1;
}

const nextStep = ({ webhookUrl }: Wanted): string =>
  [
    ...(webhookUrl === undefined
      ? ['No webhook: pending pods are found by the heartbeat, within a minute.']
      : []),
    'Next: apply an EC2NodeClass and a NodePool, as the README shows, and give them a pod.',
  ].join('\n');
