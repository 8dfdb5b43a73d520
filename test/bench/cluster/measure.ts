/**
 * Looks at the bench cluster as a function would, and tells what it took, as JSON on standard
 * output. Arguments: the server's port, the instant at which its clock started, and how long it
 * has run since.
 */
import { readFileSync } from 'node:fs';
import { type AwsCall, typedCall } from '#lib/aws/calls/call.ts';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { decideDrift } from '#lib/decide/drift.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { connectEndpoint } from '#lib/kube/connect-endpoint.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { observe } from '#lib/observe/observe.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { takeTurn } from '#lib/runtime/turn.ts';

/** Of one step: wall clock and processor, in ms, and the most memory the process held so far. */
export interface Step {
  readonly name: string;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMegabytes: number;
  readonly note: string;
}

const PEM = readFileSync('test/recorded/localhost.pem');
/** A turn that writes to every NodeClaim takes longer than Lambda would give it here. */
const PATIENCE_MS = 600_000;
const MAX_TURNS = 6;

const [port = 0, start = 0, ranMs = 0] = process.argv.slice(2).map(Number);
const startedAt = performance.now() - ranMs;
const now = (): number => start + performance.now() - startedAt;

/** A cluster at rest needs nothing of AWS but to be looked at again. */
const quietAws: AwsCall = typedCall((name) =>
  name === 'SendMessage'
    ? Promise.resolve({})
    : Promise.reject(new Error(`expected no call to AWS but hints, found ${name}`)),
);

const connected = (): Shell => ({
  kube: connectEndpoint({
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: PEM.toString('base64'),
    token: async () => 'bench',
    forgetToken: () => undefined,
  }),
  aws: quietAws,
  now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  events: createEventMemory(),
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  settings: {
    cluster: {
      clusterName: 'bench',
      region: 'us-east-1',
      clusterEndpoint: `https://127.0.0.1:${port}`,
      clusterCa: '',
      serviceCidr: '10.100.0.0/16',
      kubernetesVersion: '1.33',
      minValuesPolicy: 'Strict',
      preferencePolicy: 'Respect',
      vmMemoryOverheadPercent: 0.075,
    },
    hintQueueUrl: 'https://sqs/bench',
    identity: 'bench',
  } as Shell['settings'],
});

const steps: Step[] = [];

async function measured<Value>(
  name: string,
  work: () => Promise<Value> | Value,
  noteOf: (value: Value) => string = () => '',
): Promise<Value> {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  steps.push({
    name,
    wallMs: performance.now() - wall,
    cpuMs: (user + system) / 1_000,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
    note: noteOf(value),
  });
  return value;
}

const sizeOf = ({ nodes, pods }: Snapshot): string =>
  `${nodes.length} nodes, ${nodes.reduce((sum, each) => sum + each.pods.length, pods.length)} pods`;

const planned = ({ actions, nodeClaims, refused }: Plan): string =>
  `${actions.length} actions, ${nodeClaims.length} new nodes, ${refused.length} refusals`;

/** The cluster once its EC2NodeClass has found a newer image than its nodes run on. */
function withNewImage(snapshot: Snapshot): Snapshot {
  const nodeClasses = snapshot.nodeClasses.map(({ status, ...nodeClass }) => ({
    ...nodeClass,
    status: { ...status, amis: status.amis.map((image) => ({ ...image, id: 'ami-2' })) },
  }));
  return { ...snapshot, nodeClasses };
}

const lambda = { getRemainingTimeInMillis: () => PATIENCE_MS };
const provision = { name: 'provision', decide: decideProvision, settles: true } as const;

const cold = connected();
const snapshot = await measured('observe, cold', () => observe(cold), sizeOf);
await measured('decide provision', () => decideProvision(snapshot), planned);
await measured('decide provision, again', () => decideProvision(snapshot), planned);
await measured('observe, warm', () => observe(cold), sizeOf);
for (let turn = 1; turn <= MAX_TURNS && process.argv[5] === 'turns'; turn += 1) {
  const report = await measured(
    `heartbeat ${turn}`,
    () => takeTurn(cold, provision, { kind: 'schedule' }, lambda),
    ({ rounds }) =>
      `${rounds.length} rounds, ${rounds.reduce((sum, { outcomes }) => sum + outcomes.length, 0)} actions`,
  );
  if (report.result === 'nothing to do' && turn > 2) break;
}
// By now every NodeClaim is marked as one whose node may be given up.
const settled = await observe(cold);
await measured('decide consolidate', () => decideConsolidate(settled), planned);
await measured('decide drift', () => decideDrift(settled), planned);
const outdated = withNewImage(settled);
await measured('decide drift, a new image for all', () => decideDrift(outdated), planned);
process.stdout.write(`${JSON.stringify(steps)}\n`);
