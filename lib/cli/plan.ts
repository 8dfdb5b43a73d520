import { readFile } from 'node:fs/promises';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { decideDrift } from '#lib/decide/drift.ts';
import { decideInterrupt } from '#lib/decide/interrupt.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Decision, Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type EpochMs, parseInstant } from '#lib/model/time.ts';
import { readInterruptions } from '#lib/triggers/interruption-message.ts';
import { readCatalogFile } from './catalog-file.ts';
import type { OfferedTypes } from './file-catalog.ts';
import type { Io } from './io.ts';
import { type SettingArguments, settingMisuse, settingsOf } from './plan-settings.ts';
import { planText } from './plan-text.ts';
import { type Connect, readCluster } from './read-cluster.ts';
import type { FileProblem } from './read-documents.ts';
import { readFiles } from './read-files.ts';
import { readSchedulerConfig } from './scheduler-config-file.ts';
import { type FileSnapshotOptions, snapshotOfFiles } from './snapshot-of-files.ts';

/** What `joinery plan` was told on its command line. */
export interface PlanArguments extends SettingArguments {
  readonly decision: string;
  /** Files and folders; none: the cluster of the current kubeconfig context. */
  readonly files: readonly string[];
  readonly output: 'json' | 'text';
  /** Path of a catalog file; without it, the embedded table. */
  readonly catalog?: string;
  /** RFC 3339. */
  readonly now?: string;
  /** Path of a file with the spread of pods that ask for none, as Karpenter's --scheduler-config. */
  readonly schedulerConfig?: string;
  /** Path of an EventBridge event, for interrupt. */
  readonly event?: string;
}

/** Exit statuses. Source: the plan format. */
const PLANNED = 0;
const BAD_INPUT = 1;
const WRONG_USAGE = 2;

const DECISIONS: readonly Decision[] = ['provision', 'consolidate', 'drift', 'interrupt'];

/**
 * Prints what one decision would do with the cluster that files describe, or that `connect`
 * reaches where none are named, and returns the exit
 * status: 0 a plan was made, refused pods being part of it; 1 the input is bad, which is told on
 * `io.err` while nothing is printed on `io.out`; 2 wrong usage.
 */
export async function planCommand(
  args: PlanArguments,
  io: Pick<Io, 'out' | 'err'>,
  connect: Connect = connectCurrent,
): Promise<number> {
  const decision = DECISIONS.find((each) => each === args.decision);
  const misuse = usageProblem(args, decision);
  if (decision === undefined || misuse !== undefined) {
    io.err(misuse ?? `there is no decision ${args.decision}: name one of ${DECISIONS.join(', ')}`);
    return WRONG_USAGE;
  }
  const made = await snapshotFor(args, connect);
  if ('problems' in made) {
    for (const problem of made.problems) io.err(problem);
    return BAD_INPUT;
  }
  const plan = await decide(decision, made.snapshot, args);
  if ('problem' in plan) {
    io.err(plan.problem);
    return BAD_INPUT;
  }
  const told = { ...plan, warnings: [...new Set([...made.warnings, ...plan.warnings])].sort() };
  if (args.output === 'json') {
    io.out(JSON.stringify({ apiVersion: 'joinery.dev/v1', kind: 'Plan', ...told }, null, 2));
  } else {
    for (const line of planText(told, made.snapshot.catalog)) io.out(line);
  }
  return PLANNED;
}

function usageProblem(
  { decision, now, event, ...rest }: PlanArguments,
  known: Decision | undefined,
): string | undefined {
  if (known === undefined) {
    return `there is no decision ${decision}: name one of ${DECISIONS.join(', ')}`;
  }
  if (now !== undefined && parseInstant(now) === undefined) {
    return `--now ${now} is not an instant: write it as 2026-11-20T12:00:00Z`;
  }
  const misuse = settingMisuse(rest);
  if (misuse !== undefined) return misuse;
  if (known === 'interrupt' && event === undefined) {
    return 'name what happened: joinery plan interrupt -f <path> --event <event.json>';
  }
  return undefined;
}

/** Loaded only where it is asked for: plans of files do not wait for a Kubernetes client. */
const connectCurrent: Connect = async () => {
  const { connectKubeconfig } = await import('#lib/kube/connect-kubeconfig.ts');
  return connectKubeconfig();
};

type Made =
  | { readonly snapshot: Snapshot; readonly warnings: readonly string[] }
  | { readonly problems: readonly string[] };

async function snapshotFor(args: PlanArguments, connect: Connect): Promise<Made> {
  const isLive = args.files.length === 0;
  const { documents, problems } = isLive ? await readCluster(connect) : await readFiles(args.files);
  const offered = args.catalog === undefined ? undefined : await readCatalogFile(args.catalog);
  const spread =
    args.schedulerConfig === undefined ? {} : await readSchedulerConfig(args.schedulerConfig);
  const unread = problems.map(describeProblem);
  if (offered && 'problem' in offered) return { problems: [...unread, offered.problem] };
  if ('problem' in spread) return { problems: [...unread, spread.problem] };
  if (unread.length > 0) return { problems: unread };
  if (documents.length === 0) {
    return {
      problems: [
        `${args.files.join(', ') || 'the cluster'}: no object is in there; name files that hold some`,
      ],
    };
  }
  const options = optionsFor(args, offered, isLive ? Date.now() : undefined);
  const settings = { ...options.settings, ...spread };
  const made = snapshotOfFiles(documents, { ...options, settings });
  return 'problems' in made ? { problems: made.problems.map(describeProblem) } : made;
}

function optionsFor(
  { now, ...rest }: PlanArguments,
  catalog: OfferedTypes | undefined,
  present: EpochMs | undefined,
): FileSnapshotOptions {
  const instant = now === undefined ? present : parseInstant(now);
  return {
    settings: settingsOf(rest),
    ...(instant !== undefined && { now: instant }),
    ...(catalog !== undefined && { catalog }),
  };
}

const describeProblem = ({ file, document, problem }: FileProblem): string =>
  document === undefined ? `${file}: ${problem}` : `${file}, document ${document}: ${problem}`;

async function decide(
  decision: Decision,
  snapshot: Snapshot,
  { event }: PlanArguments,
): Promise<Plan | { readonly problem: string }> {
  switch (decision) {
    case 'provision':
      return decideProvision(snapshot);
    case 'consolidate':
      return decideConsolidate(snapshot);
    case 'drift':
      return decideDrift(snapshot);
    case 'interrupt':
      return interruptBy(event ?? '', snapshot);
  }
}

async function interruptBy(
  path: string,
  snapshot: Snapshot,
): Promise<Plan | { readonly problem: string }> {
  try {
    const body = await readFile(path, 'utf8');
    return decideInterrupt(snapshot, readInterruptions(body, snapshot.takenAt));
  } catch (error) {
    return { problem: `${path}: ${error instanceof Error ? error.message : String(error)}` };
  }
}
