import { amazonImages } from '#lib/sim/aws/images.ts';
import { zonesOf } from '#lib/sim/aws/network.ts';
import { type Clock, virtualClock } from '#lib/sim/clock.ts';
import { createFaultPlan, type FaultPlan } from '#lib/sim/faults.ts';
import { createJournal, type Journal } from '#lib/sim/journal.ts';
import type { LambdaContext, LambdaHandler } from '#lib/sim/lambda.ts';
import { seededRandom } from '#lib/sim/random.ts';
import type { KubeCall } from '#lib/sim/seams.ts';
import { createStack, type FunctionName, type FunctionPorts, type Stack } from '#lib/sim/stack.ts';
import { aMachineType, START, ZONES } from './embedded-aws.ts';

/** A handler that may use its sandbox's ports. */
export type PortedHandler = (
  ports: FunctionPorts,
  event: unknown,
  context: LambdaContext,
) => Promise<unknown>;

/** A deployed stack over a Kubernetes that answers 200 to everything after 10 ms. */
export interface StackBench extends Stack {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly faults: FaultPlan;
  /** What reached the API server: "provision/1 GET /api/v1/nodes". */
  readonly kubeCalls: string[];
  readonly pass: (ms: number) => Promise<void>;
  /** What the functions' handlers were started with, one for each sandbox. */
  readonly sandboxes: FunctionPorts[];
}

/** A stack whose functions do nothing but what `handlers` says. */
export function aStack(
  handlers: Partial<Record<FunctionName, PortedHandler>> = {},
  difference: { seed?: number; faults?: FaultPlan; duplicates?: number } = {},
): StackBench {
  const clock = virtualClock(START);
  const journal = createJournal();
  const faults = difference.faults ?? createFaultPlan();
  const kubeCalls: string[] = [];
  const sandboxes: FunctionPorts[] = [];
  const stack = createStack({
    clock,
    journal,
    faults,
    random: seededRandom(difference.seed ?? 1),
    cluster: {
      clusterName: 'demo',
      region: 'us-east-1',
      clusterEndpoint: 'https://embedded',
      clusterCa: 'Q0E=',
      serviceCidr: '10.100.0.0/16',
      kubernetesVersion: '1.33',
    },
    zones: zonesOf('us-east-1', ZONES),
    types: [aMachineType()],
    networkTags: { 'karpenter.sh/discovery': 'demo' },
    images: amazonImages('1.33', [START - 86_400_000]),
    duplicates: difference.duplicates ?? 0,
    kube: (actor) => async (request: KubeCall) => {
      kubeCalls.push(`${actor} ${request.method} ${request.path}`);
      await clock.sleep(10);
      return { status: 200, body: {} };
    },
    connect: (ports) => {
      sandboxes.push(ports);
      const handler =
        (name: FunctionName): LambdaHandler =>
        async (event, context) =>
          await handlers[name]?.(ports, event, context);
      return {
        provision: handler('provision'),
        admit: handler('admit'),
        consolidate: handler('consolidate'),
        drift: handler('drift'),
        interrupt: handler('interrupt'),
      };
    },
  });
  const pass = async (ms: number): Promise<void> => {
    await clock.run(() => false, clock.now() + ms);
  };
  return { ...stack, clock, journal, faults, kubeCalls, sandboxes, pass };
}
