import { awsErrorKind, describeAwsError } from '#lib/aws/errors.ts';
import { createFleet, type FleetAnswer } from '#lib/aws/fleet.ts';
import { listInstances } from '#lib/aws/instances.ts';
import { compareText } from '#lib/constraints/order.ts';
import {
  fleetFailure,
  fullSubnetsOf,
  reasonOf,
  soldOutOf,
  soldOutUntil,
  THROTTLED,
} from '#lib/ec2/launch/fleet-errors.ts';
import { rememberFullSubnets, rememberSoldOut } from '#lib/kube/sold-out.ts';
import { LAUNCH_GROUP } from '#lib/model/labels.ts';
import type { Launch, LaunchedInstance } from '#lib/model/launch.ts';
import type { LimitedPorts } from './ports.ts';
import { DONE, type Result, resultOf } from './result.ts';
import { type LaunchFailure, tellFailure, tellInstance } from './tell-claim.ts';
import type { Versions } from './versions.ts';

/** Launched's reason where capacity is missing, for which the claim is given up. */
const INSUFFICIENT_CAPACITY = 'InsufficientCapacity';

type Ports = LimitedPorts & { readonly versions: Versions };

/**
 * Sends one CreateFleet call and tells each NodeClaim its instance, or why it has none: instances
 * sorted by id go to claims sorted by name, so that whoever repeats this comes to the same. What
 * EC2 could not give is remembered as sold out. A call with this token that arrived before is
 * answered by its instances' tags. Never throws for what EC2 or the API server refuse.
 */
export async function launch(ports: Ports, order: Launch): Promise<Result> {
  const answer = await answerOf(ports, order);
  if ('result' in answer) return answer;
  const instances = answer.arrivedBefore ? await sighted(ports, order) : answer.instances;
  const results = await tellInstances(ports, order, instances);
  if (!answer.arrivedBefore) {
    results.push(...(await tellWhatFailed(ports, order, answer, instances.length)));
  } else if (instances.length < order.claims.length) {
    results.push({
      result: 'retry',
      because: 'an earlier call arrived, not all its instances are seen yet',
    });
  }
  return worstOf(results);
}

/** The call itself; a refusal of the whole call is told to every claim that waited for it. */
async function answerOf(ports: Ports, order: Launch): Promise<FleetAnswer | Result> {
  try {
    return await createFleet(ports.aws, order, ports.templates);
  } catch (error) {
    const result = resultOf(error, ports);
    if (ports.awsCallOf(error) === undefined) return result;
    const message = describeAwsError(error);
    const reason = awsErrorKind(error) === 'throttled' ? THROTTLED : reasonOf(message);
    const failure = { reason, message, next: 'same call' } as const;
    await Promise.all(
      order.claims.map((claim) => quietly(ports, () => tellFailure(ports, claim, failure))),
    );
    return result;
  }
}

async function sighted(ports: Ports, order: Launch): Promise<readonly LaunchedInstance[]> {
  const { clusterName } = ports.settings.cluster;
  const found = await listInstances(ports.aws, clusterName, { [LAUNCH_GROUP]: order.group });
  return found
    .filter(({ state }) => state === 'pending' || state === 'running')
    .map((instance) => ({ ...instance, zoneId: '' }))
    .sort((a, b) => compareText(a.id, b.id));
}

async function tellInstances(
  ports: Ports,
  { claims }: Launch,
  instances: readonly LaunchedInstance[],
): Promise<Result[]> {
  return await Promise.all(
    instances.slice(0, claims.length).map((instance, at) => {
      const claim = claims[at];
      if (claim === undefined) throw new Error(`Expected a claim for ${instance.id}, found none`);
      return quietly(ports, () => tellInstance(ports, claim, instance));
    }),
  );
}

async function tellWhatFailed(
  ports: Ports,
  order: Launch,
  { errors, options }: FleetAnswer,
  launched: number,
): Promise<readonly Result[]> {
  const soldOut = soldOutOf(errors, options, order.placementGroup);
  const remembered = await quietly(ports, async () => {
    const terms = { now: ports.now(), until: soldOutUntil };
    await rememberSoldOut(ports.kube, soldOut, terms);
    await rememberFullSubnets(ports.kube, fullSubnetsOf(errors), terms);
    return DONE;
  });
  const without = order.claims.slice(launched);
  if (without.length === 0) return [remembered];
  const { kind, reason, message } = fleetFailure(errors);
  const failure: LaunchFailure =
    kind === 'soldOut'
      ? { reason: INSUFFICIENT_CAPACITY, message, next: 'none' }
      : { reason, message, next: launched === 0 ? 'another call' : 'same call' };
  const told = await Promise.all(
    without.map((claim) => quietly(ports, () => tellFailure(ports, claim, failure))),
  );
  // Missing capacity is an answer: the next look gives the claims up and plans anew, at once.
  const result = kind === 'soldOut' ? 'done' : 'retry';
  return [remembered, ...told, { result, because: `${failure.reason}: ${message}` }];
}

async function quietly(ports: Ports, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    return resultOf(error, ports);
  }
}

const SEVERITY: readonly Result['result'][] = ['done', 'lost', 'retry', 'failed'];

/** The result that most needs somebody's attention; among equals the first that says why. */
function worstOf(results: readonly Result[]): Result {
  const rank = ({ result, because }: Result): number =>
    SEVERITY.indexOf(result) * 2 + Number(because !== undefined);
  return results.reduce((worst, next) => (rank(next) > rank(worst) ? next : worst), DONE);
}
