import type { AwsCall } from '#lib/aws/calls/call.ts';
import { describeAwsError } from '#lib/aws/errors.ts';
import { listAilingInstances } from '#lib/aws/instance-status.ts';
import { announcedBy } from '#lib/ec2/instance-status.ts';
import type { InstanceStatus, Interruption, InterruptionKind } from '#lib/model/interruption.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** How a look finds out how instances are: it asks EC2, or goes by what this sandbox was told. */
export type StatusQuestion = 'ask' | 'recall';

/** Source: karpenter AWS provider v1.14, interruption/instancestatus, every minute. */
const HOLDS_MS = 60_000;

// What a warm sandbox was told last, and counted. Losing it costs a minute, or a number that is one too high.
const lastTold = new WeakMap<AwsCall, InstanceStatus>();

/**
 * What EC2's own checks and plans announce of the instances of these NodeClaims; absent where nobody
 * asked within the minute, or no NodeClaim has an instance. Where EC2 does not answer, nothing is
 * announced, and the problem stands in `leftOut`.
 */
export async function readInstanceStatus(
  aws: AwsCall,
  claims: readonly NodeClaim[],
  { question, now }: { readonly question: StatusQuestion; readonly now: EpochMs },
): Promise<{ readonly status?: InstanceStatus; readonly leftOut: readonly LeftOut[] }> {
  const last = lastTold.get(aws);
  if (question === 'recall') {
    const holds = last !== undefined && now - last.askedAt < HOLDS_MS;
    return { ...(holds && { status: { ...last, newlyAiling: {} } }), leftOut: [] };
  }
  const held = new Set(claims.flatMap(({ status }) => status.providerId?.split('/').at(-1) ?? []));
  if (held.size === 0) return { leftOut: [] };
  try {
    const interruptions = announcedBy(await listAilingInstances(aws), now).filter(
      ({ instanceId }) => held.has(instanceId),
    );
    const newlyAiling = counted(interruptions, last?.interruptions ?? []);
    const status = { askedAt: now, interruptions, newlyAiling };
    lastTold.set(aws, status);
    return { status, leftOut: [] };
  } catch (error) {
    const object = { apiVersion: 'ec2', kind: 'the status of', name: 'instances' };
    const problem = describeAwsError(error);
    return {
      status: { askedAt: now, interruptions: [], newlyAiling: {} },
      leftOut: [{ object, field: 'DescribeInstanceStatus', problem }],
    };
  }
}

/** How many of each kind were not announced `before`; work that is over ails nobody. */
function counted(
  interruptions: readonly Interruption[],
  before: readonly Interruption[],
): InstanceStatus['newlyAiling'] {
  const known = new Set(before.map(nameOf));
  const fresh = interruptions.filter(
    (each) => each.kind !== 'ScheduledChangeOver' && !known.has(nameOf(each)),
  );
  const counts: Partial<Record<InterruptionKind, number>> = {};
  for (const { kind } of fresh) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const nameOf = ({ kind, instanceId }: Interruption): string => `${instanceId} ${kind}`;
