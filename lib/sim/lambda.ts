import { uuid } from './aws/account.ts';
import type { Instant } from './clock.ts';
import type { Random } from './random.ts';
import {
  createSandbox,
  type Running,
  type Sandbox,
  type SandboxPorts,
  type SandboxSurroundings,
} from './sandbox.ts';

/** What a handler learns of the run it is in; a part of Lambda's own context. */
export interface LambdaContext {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly awsRequestId: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly callbackWaitsForEmptyEventLoop: boolean;
  readonly getRemainingTimeInMillis: () => number;
}

/** A function as Lambda calls it, whatever its event. */
export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** A function as it is deployed. */
export interface FunctionDefinition {
  readonly name: string;
  /** Its code's start: runs once in each sandbox and gives the handler. */
  readonly start: (ports: SandboxPorts) => LambdaHandler;
  readonly timeoutMs: number;
  /** Runs at the same time; the account's 1,000 where absent. */
  readonly concurrency?: number;
}

/** What became of one invocation. */
export type InvocationResult =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timed out' | 'killed' | 'throttled' };

/** A deployed function. */
export interface LambdaFunction {
  readonly name: string;
  readonly arn: string;
  /** Runs it; `cause` is for the journal: who or what woke it. Never rejects. */
  readonly invoke: (event: unknown, cause: string) => Promise<InvocationResult>;
}

/** Where functions are deployed. */
export interface LambdaSurroundings extends SandboxSurroundings {
  readonly random: Random;
  readonly region: string;
  readonly accountId: string;
}

/** Source: Lambda Developer Guide, quotas: concurrent executions of a new account. */
const ACCOUNT_CONCURRENCY = 1_000;
/** From request to the first line of a Node.js handler of a few MB. Assumed. */
const COLD_START_MS = [250, 700] as const;
const WARM_START_MS = [2, 12] as const;
/** How long a sandbox is kept idle. AWS promises nothing; assumed. */
const IDLE_MS = 420_000;

interface Deployed extends LambdaSurroundings {
  readonly definition: FunctionDefinition;
  readonly arn: string;
  readonly idle: { readonly sandbox: Sandbox; readonly handler: LambdaHandler; since: Instant }[];
  running: number;
  invocations: number;
  sandboxes: number;
}

interface Warm {
  readonly sandbox: Sandbox;
  readonly handler: LambdaHandler;
  readonly isCold: boolean;
}

/**
 * Lambda: cold and warm sandboxes, a time limit that kills, a limit on concurrency that throttles,
 * and no mercy: what a killed run was waiting for never comes. The code itself takes no time (the
 * clock stands still while it computes) and all the memory it likes. A sandbox runs one handler at
 * a time, is frozen in between, and outlives a handler that throws. Each run is an actor of its
 * own, named provision/1, provision/2 … to the fault plan and to the counts of calls.
 */
export function createLambda(around: LambdaSurroundings): {
  readonly define: (definition: FunctionDefinition) => LambdaFunction;
} {
  return { define: (definition) => define(around, definition) };
}

function define(around: LambdaSurroundings, definition: FunctionDefinition): LambdaFunction {
  const { name } = definition;
  const deployed: Deployed = {
    ...around,
    random: around.random.fork(`lambda/${name}`),
    definition,
    arn: `arn:aws:lambda:${around.region}:${around.accountId}:function:${name}`,
    idle: [],
    running: 0,
    invocations: 0,
    sandboxes: 0,
  };
  return { name, arn: deployed.arn, invoke: (event, cause) => invoke(deployed, event, cause) };
}

async function invoke(
  deployed: Deployed,
  event: unknown,
  cause: string,
): Promise<InvocationResult> {
  const { definition } = deployed;
  if (deployed.running >= (definition.concurrency ?? ACCOUNT_CONCURRENCY)) {
    note(deployed, `${definition.name} is throttled (${cause})`, { cause });
    return { kind: 'throttled' };
  }
  deployed.running += 1;
  deployed.invocations += 1;
  const actor = `${definition.name}/${deployed.invocations}`;
  try {
    const warm = await sandboxFor(deployed);
    if ('kind' in warm) return warm;
    return await run(deployed, warm, { event, cause, actor });
  } finally {
    deployed.running -= 1;
  }
}

async function sandboxFor(deployed: Deployed): Promise<Warm | InvocationResult> {
  const { clock, definition, idle, random } = deployed;
  const freshest = idle.pop();
  if (freshest !== undefined && clock.now() - freshest.since < IDLE_MS) {
    await clock.sleep(random.between(...WARM_START_MS));
    return { sandbox: freshest.sandbox, handler: freshest.handler, isCold: false };
  }
  idle.length = 0;
  deployed.sandboxes += 1;
  const sandbox = createSandbox(
    deployed,
    definition.name,
    `${definition.name}-${deployed.sandboxes}`,
  );
  await clock.sleep(random.between(...COLD_START_MS));
  try {
    return { sandbox, handler: definition.start(sandbox.ports), isCold: true };
  } catch (error) {
    note(deployed, `${definition.name} does not start: ${String(error)}`, {});
    return { kind: 'failed', error };
  }
}

interface Wanted {
  readonly event: unknown;
  readonly cause: string;
  readonly actor: string;
}

function run(deployed: Deployed, warm: Warm, wanted: Wanted): Promise<InvocationResult> {
  const { clock, definition } = deployed;
  const startedAt = clock.now();
  let deadline = startedAt + definition.timeoutMs;
  const requestId = uuid(deployed.random);
  const calls = new Map<string, number>();
  note(deployed, `${definition.name} starts (${wanted.cause})`, {
    ...identify(wanted, requestId),
    cold: warm.isCold,
  });
  return new Promise((resolve) => {
    let isOver = false;
    const end = (result: InvocationResult, because: string): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      putBack(deployed, warm, result);
      note(deployed, `${definition.name} ${because}`, {
        ...identify(wanted, requestId),
        result: result.kind,
        durationMs: clock.now() - startedAt,
        calls: Object.fromEntries([...calls].sort(([a], [b]) => (a < b ? -1 : 1))),
      });
      resolve(result);
    };
    const endInTime = () =>
      clock.at(deadline, () =>
        end({ kind: 'timed out' }, `timed out after ${definition.timeoutMs / 1000} s`),
      );
    let timer = endInTime();
    const extend: Running['extend'] = (ms) => {
      timer.cancel();
      deadline += ms;
      timer = endInTime();
    };
    const kill: Running['kill'] = (because) => end({ kind: 'killed' }, `was ${because}`);
    warm.sandbox.thaw({ actor: wanted.actor, requestId, calls, kill, extend });
    const context = contextOf(deployed, warm.sandbox, requestId, () => deadline);
    Promise.resolve()
      .then(() => warm.handler(structuredClone(wanted.event), context))
      .then(
        (value) => end({ kind: 'returned', value }, 'returned'),
        (error: unknown) => end({ kind: 'failed', error }, `failed: ${String(error)}`),
      );
  });
}

/** A sandbox whose run came to an end is kept for the next; one that was killed is not. */
function putBack(deployed: Deployed, { sandbox, handler }: Warm, result: InvocationResult): void {
  if (result.kind === 'returned' || result.kind === 'failed') {
    sandbox.freeze();
    deployed.idle.push({ sandbox, handler, since: deployed.clock.now() });
    return;
  }
  sandbox.kill();
}

const identify = ({ actor, cause }: Wanted, requestId: string) => ({ actor, requestId, cause });

const contextOf = (
  deployed: Deployed,
  sandbox: Sandbox,
  requestId: string,
  deadline: () => Instant,
): LambdaContext => ({
  functionName: deployed.definition.name,
  functionVersion: '$LATEST',
  invokedFunctionArn: deployed.arn,
  memoryLimitInMB: '1024',
  awsRequestId: requestId,
  logGroupName: `/aws/lambda/${deployed.definition.name}`,
  logStreamName: sandbox.id,
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline() - deployed.clock.now()),
});

function note(deployed: Deployed, text: string, fields: Readonly<Record<string, unknown>>): void {
  deployed.journal.note({
    at: deployed.clock.now(),
    source: 'lambda',
    text,
    fields: { functionName: deployed.definition.name, ...fields },
  });
}
