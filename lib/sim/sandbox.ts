import type { CallFaults, Disturbance, SeamCall } from './call-faults.ts';
import type { Clock, Instant } from './clock.ts';
import { disturbed, type ListMemory, remembering } from './disturb.ts';
import type { Journal } from './journal.ts';
import { type KubeAnswer, type KubeCall, kubeCallName, type Seams } from './seams.ts';

/** What a function's code writes to its log. */
type LogLine = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Everything that the code in one sandbox can reach; handed to it once, at its cold start. */
export interface SandboxPorts {
  readonly functionName: string;
  /** Tells this sandbox from every other. */
  readonly sandboxId: string;
  readonly kube: (request: KubeCall) => Promise<KubeAnswer>;
  readonly aws: (name: string, input: unknown) => Promise<unknown>;
  readonly now: () => Instant;
  readonly sleep: (ms: number) => Promise<void>;
  readonly log: { readonly info: LogLine; readonly warn: LogLine; readonly error: LogLine };
}

/** One run of a handler, as its sandbox sees it. */
export interface Running {
  readonly actor: string;
  readonly requestId: string;
  /** Calls through the seams by name. */
  readonly calls: Map<string, number>;
  /** Ends it at once: its process is gone. */
  readonly kill: (because: string) => void;
  /** Gives it so much longer: its own clock has stood still. */
  readonly extend: (ms: number) => void;
}

/** A process of Lambda: awake while it runs a handler, frozen in between, and dead in the end. */
export interface Sandbox {
  readonly id: string;
  readonly ports: SandboxPorts;
  readonly isAlive: () => boolean;
  /** Wakes it for one run; what its code was waiting for goes on. */
  readonly thaw: (running: Running) => void;
  /** Stops it between two runs: nothing its code waits for comes until the next. */
  readonly freeze: () => void;
  /** Ends it: nothing its code waits for ever comes, and no call it makes is performed. */
  readonly kill: () => void;
}

/** What a sandbox is put into. */
export interface SandboxSurroundings {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly faults: CallFaults;
  readonly seams: Seams;
}

/** A run and its ways out, made once for it. */
interface Awake extends Running {
  readonly kube: ReturnType<Seams['kube']>;
  readonly aws: ReturnType<Seams['aws']>;
}

interface State extends SandboxSurroundings {
  readonly functionName: string;
  alive: boolean;
  running: Awake | undefined;
  readonly waiting: (() => void)[];
  readonly lists: ListMemory;
}

/**
 * A sandbox whose every call, sleep and answer passes through one gate: open while a handler runs,
 * shut while frozen, gone once dead. Calls are counted and may be killed by the fault plan. Only
 * what goes through the ports is held: code that waits for anything else (a timer of Node, a
 * thread) is not frozen.
 */
export function createSandbox(
  surroundings: SandboxSurroundings,
  functionName: string,
  id: string,
): Sandbox {
  const state: State = {
    ...surroundings,
    functionName,
    alive: true,
    running: undefined,
    waiting: [],
    lists: new Map(),
  };
  return {
    id,
    ports: portsOf(state, id),
    isAlive: () => state.alive,
    thaw: (running) => {
      const { actor } = running;
      const { kube, aws } = surroundings.seams;
      wake(state, { ...running, kube: kube(actor), aws: aws(actor) });
    },
    freeze: () => {
      state.running = undefined;
    },
    kill: () => {
      state.alive = false;
      state.running = undefined;
      state.waiting.length = 0;
    },
  };
}

function portsOf(state: State, sandboxId: string): SandboxPorts {
  const { clock, functionName } = state;
  return {
    functionName,
    sandboxId,
    kube: (request) =>
      through(state, { seam: 'kube', name: kubeCallName(request) }, ({ kube }, fate) => {
        const heard = heardAwake(state, request);
        return fate === undefined
          ? remembering(kube, heard, state.lists)
          : disturbed(kube, heard, { fate, lists: state.lists });
      }),
    aws: (name, input) => through(state, { seam: 'aws', name }, ({ aws }) => aws(name, input)),
    now: () => clock.now() + (state.faults.skewMs?.(functionName) ?? 0),
    sleep: async (ms) => {
      await gate(state);
      await clock.sleep(ms);
      await gate(state);
    },
    log: {
      info: logLine(state, 'info'),
      warn: logLine(state, 'warn'),
      error: logLine(state, 'error'),
    },
  };
}

/** A stream is cut off where nobody is awake to hear it. */
function heardAwake(state: State, request: KubeCall): KubeCall {
  const { onLine } = request;
  if (onLine === undefined) return request;
  return {
    ...request,
    onLine: (line) => (state.running === undefined ? 'enough' : onLine(line)),
  };
}

/** A promise of its own each time: one for all would keep everything that ever waited for it. */
const never = (): Promise<never> => new Promise(() => undefined);

function wake(state: State, running: Awake): void {
  state.running = running;
  for (const goOn of state.waiting.splice(0)) goOn();
}

/** Stops the whole sandbox in the middle of a run; what is answered meanwhile is heard later. */
async function freezeFor(state: State, running: Awake, ms: number): Promise<void> {
  state.running = undefined;
  running.extend(ms);
  await state.clock.sleep(ms);
  if (state.alive) wake(state, running);
}

/** The run that is going on, once there is one; never, for the dead. */
function gate(state: State): Promise<Awake> {
  if (!state.alive) return never();
  if (state.running !== undefined) return Promise.resolve(state.running);
  return new Promise<void>((resolve) => state.waiting.push(resolve)).then(() => gate(state));
}

async function through<Answer>(
  state: State,
  call: Omit<SeamCall, 'actor'>,
  perform: (running: Awake, fate?: Disturbance) => Promise<Answer>,
): Promise<Answer> {
  const running = await gate(state);
  const { actor, calls, kill } = running;
  calls.set(call.name, (calls.get(call.name) ?? 0) + 1);
  const fate = state.faults.on({ ...call, actor });
  if (fate === 'never') {
    kill(`killed before ${call.name}`);
    return never();
  }
  if (typeof fate === 'object' && fate.how === 'frozen') {
    await freezeFor(state, running, fate.ms);
    await gate(state);
  }
  const isDisturbed = typeof fate === 'object' && fate.how !== 'frozen';
  const answer = perform(running, isDisturbed ? fate : undefined);
  if (fate === 'lost') {
    answer.catch(() => undefined);
    kill(`killed while ${call.name} was under way`);
    return never();
  }
  try {
    return await answer;
  } finally {
    await gate(state);
  }
}

const logLine =
  (state: State, level: string): LogLine =>
  (message, fields) => {
    if (!state.alive) return;
    const { functionName, running } = state;
    state.journal.note({
      at: state.clock.now(),
      source: 'joinery',
      text: message,
      fields: { ...fields, level, functionName, requestId: running?.requestId },
    });
  };
