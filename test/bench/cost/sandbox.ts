/**
 * A Lambda sandbox: initializes a bundle and invokes it as often as it is told to, and tells what
 * that took. A process of its own, forked with the path of the bundle as its argument.
 */
interface Invocation {
  /** What time it is in the cluster. */
  readonly now: number;
  readonly event: unknown;
}

/** What an initialization or an invocation took, in ms. */
export interface Taken {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMegabytes: number;
}

const TIMEOUT_MS = 60_000;
let [now, setAt] = [Date.now(), performance.now()];
Date.now = () => Math.round(now + performance.now() - setAt);

async function taken(work: () => Promise<unknown>): Promise<Taken> {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    wallMs: performance.now() - wall,
    cpuMs: (user + system) / 1_000,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  };
}

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
let handler: Handler | undefined;

process.on('message', async (invocation: Invocation) => {
  [now, setAt] = [invocation.now, performance.now()];
  const context = {
    ...{ awsRequestId: 'bench', functionName: 'bench', memoryLimitInMB: '1769' },
    getRemainingTimeInMillis: () => TIMEOUT_MS,
  };
  const init = async () => {
    handler = (await import(String(process.argv[2]))).handler;
  };
  process.send?.(
    handler ? await taken(async () => handler?.(invocation.event, context)) : await taken(init),
  );
});
