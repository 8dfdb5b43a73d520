import { type AwsCall, typedCall } from '#lib/aws/calls/call.ts';
import { ensureInstanceProfile } from '#lib/aws/instance-profile.ts';
import { nodeClassFacts } from '#lib/aws/node-class-facts.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import { nodeClassActions } from '#lib/ec2/node-class/node-class-actions.ts';
import type { Launch } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { type AwsBench, ZONES } from './embedded-aws.ts';
import { aCatalog, anInstanceType } from './instance-types.ts';
import { aNewClaim } from './node-claims.ts';
import { aNodeClass } from './node-pools.ts';
import { NOON } from './objects.ts';
import { someSettings } from './snapshots.ts';

/** What `task` comes to while the embedded clock runs as long as anything waits for it. */
export async function inTime<T>(bench: AwsBench, task: (call: AwsCall) => Promise<T>): Promise<T> {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  task(typedCall(bench.aws.call('test'))).then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  await bench.clock.run(() => outcome !== undefined, bench.clock.now() + 600_000);
  if (outcome === undefined) throw new Error('Expected an answer within ten minutes, found none');
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** The settings of the embedded account's cluster. */
export const settings = someSettings({ clusterName: 'demo' });
const selector = [{ tags: { 'karpenter.sh/discovery': 'demo' } }];
/** A NodeClass that selects the embedded account's network, and that nobody looked at yet. */
export const unresolved = aNodeClass({
  spec: { subnetSelectorTerms: selector, securityGroupSelectorTerms: selector },
});

/** That NodeClass as it is once its facts were found and its profile was made. */
export async function resolved(call: AwsCall): Promise<NodeClass> {
  let nodeClass = unresolved;
  for (let look = 0; look < 2; look += 1) {
    const facts = await nodeClassFacts(call, nodeClass, settings);
    const context = { facts, claims: [], unreadClaims: [], settings, now: NOON };
    for (const action of nodeClassActions(nodeClass, context)) {
      if (action.kind === 'ensureInstanceProfile') await ensureInstanceProfile(call, action);
      if (action.kind === 'updateStatus') {
        nodeClass = { ...nodeClass, status: { ...nodeClass.status, ...Object(action.status) } };
      }
    }
  }
  return nodeClass;
}

/** A launch of these claims in the embedded account, its NodeClass resolved. */
export async function aLaunch(
  bench: AwsBench,
  claims: readonly NodeClaim[] = [aNewClaim()],
  attempt = 0,
  podLimits: Readonly<Record<string, number>> = { 'm5.large': 29, 'c5.large': 29 },
): Promise<Launch> {
  const types = Object.entries(podLimits).map(([name, pods]) =>
    anInstanceType(name, { zones: ZONES, pods }),
  );
  const nodeClass = await inTime(bench, resolved);
  await bench.pass(60_000);
  const context = { catalog: aCatalog(types), settings, attempt };
  const launch = launchOf(claims, undefined, nodeClass, context);
  if (isRejection(launch)) throw new Error(launch.because);
  return launch;
}

/** A NodeClaim of the launch group g, which has two. */
export const inGroup = (name: string) =>
  aNewClaim({ meta: { name, annotations: { 'joinery.dev/launch-group': 'g/2' } } });
