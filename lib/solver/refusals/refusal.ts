import { describeHostPort, firstPortConflict } from '#lib/constraints/host-ports.ts';
import { compareText } from '#lib/constraints/order.ts';
import { isRejection, type Rejection, reject } from '#lib/constraints/rejection.ts';
import { agrees, NO_REQUIREMENTS } from '#lib/constraints/requirements.ts';
import type { Admission, Admissions, Choice } from '../admission.ts';
import type { Axes } from '../amounts.ts';
import { allowanceIn, type Ledger } from '../opening/ledger.ts';
import { allows } from '../opening/limits.ts';
import { describeMinimums, unmetMinimums } from '../opening/min-values.ts';
import { type Ask, requiredAlternatives } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { NoSource, Source } from '../sources.ts';
import { confinedTo, describePart, type HeldBack } from '../topology/held-back.ts';
import { mostAttachable, NO_LIMITS } from '../volumes/attachments.ts';
import { describeMismatch, describeMissingTypes } from './mismatch.ts';
import { limitMiss, resourceMiss } from './nearest-miss.ts';

/** Why one NodePool gives a pod no node. */
export interface PoolRejection {
  readonly nodePool: string;
  readonly rejection: Rejection;
}

/** What a refusal is explained from: what was there when nothing more could be opened. */
export interface RefusalContext {
  readonly sources: readonly Source[];
  readonly others: readonly NoSource[];
  readonly admissions: Admissions;
  readonly ledger: Ledger;
  readonly axes: Axes;
}

/** How near a pod came to a node, by what refused it; later is nearer. */
const NEARNESS: readonly Rejection['by'][] = [
  'eligibility',
  'nodeClass',
  'instanceTypes',
  'taints',
  'requirements',
  'offerings',
  'resources',
  'hostPorts',
  'volumes',
  'minValues',
  'limits',
  'reservations',
  'topology',
];

/**
 * Why a pod of `group` gets no node, from every NodePool, heaviest first, and in one sentence for
 * the pod's event. What rules over domains say (`heldBack`) is told of a NodePool only if nothing
 * else stands in the way there; if they let the pod in nowhere at all, that is the sentence.
 */
export function explainRefusal(
  group: PodGroup,
  context: RefusalContext,
  heldBack?: HeldBack,
): { readonly rejection: Rejection; readonly nodePools: readonly PoolRejection[] } {
  const nodePools = [
    ...context.sources.map((source) => ({
      pool: source.nodePool,
      rejection:
        explainForSource(source, group, context) ??
        explainHeldBack(source, { group, heldBack, context }) ??
        nothingElse(group),
    })),
    ...context.others.map(({ nodePool, rejection }) => ({ pool: nodePool, rejection })),
  ]
    .sort((a, b) => b.pool.weight - a.pool.weight || (a.pool.meta.name < b.pool.meta.name ? 1 : -1))
    .map(({ pool, rejection }) => ({ nodePool: pool.meta.name, rejection }));
  if (!heldBack) return { rejection: summary(nodePools), nodePools };
  if (heldBack.kind === 'nowhere') {
    return { rejection: reject('topology', heldBack.because), nodePools };
  }
  if (nodePools.length > 0) return { rejection: summary(nodePools), nodePools };
  return { rejection: reject('topology', `${heldBack.because}; ${NO_NODE_POOL}`), nodePools };
}

const NO_NODE_POOL = 'no node has room for it and there is no NodePool to make one';
/** What stands before the reasons of NodePools. */
const NO_NODE = 'no node has room for it and none can be made: ';
/** In characters: what an Event carries, its opening words and ours aside. */
const MOST_TOLD = 850;

/**
 * One sentence for the pod's event: the reasons of all NodePools that give nodes at all, in their
 * order, where they are short enough; else that of the one which came nearest, and how many more.
 */
function summary(nodePools: readonly PoolRejection[]): Rejection {
  const giving = nodePools.filter(
    ({ rejection: { by } }) => by !== 'eligibility' && by !== 'nodeClass',
  );
  const told = giving.length > 0 ? giving : nodePools;
  const nearest = told.reduce<PoolRejection | undefined>(
    (best, each) => (best && nearness(best.rejection) >= nearness(each.rejection) ? best : each),
    undefined,
  );
  if (!nearest) return reject('eligibility', NO_NODE_POOL);
  const { by } = nearest.rejection;
  const all = told.map(tellPool).join('; ');
  if (all.length <= MOST_TOLD) return reject(by, `${NO_NODE}${all}`);
  const more = told.length > 1 ? ` (and ${told.length - 1} more NodePools)` : '';
  const shown = tellPool(nearest).slice(0, MOST_TOLD);
  return reject(by, `${NO_NODE}${shown}${more}`);
}

const tellPool = ({ nodePool, rejection: { because } }: PoolRejection): string =>
  `NodePool ${nodePool}: ${because}`;

const nearness = ({ by }: Rejection): number => NEARNESS.indexOf(by);

/**
 * The reason of the alternative that came furthest, all wishes given up; undefined if one of them
 * would do, were there no other pods.
 */
function explainForSource(
  source: Source,
  group: PodGroup,
  context: RefusalContext,
): Rejection | undefined {
  const open = context.admissions.open(source);
  if (isRejection(open)) return explainNothingOpen(source);
  const asks = group.levels.at(-1)?.asks ?? [];
  if (asks.length === 0) return nothingAsked(group);
  const reasons = asks.map((ask) => {
    const admission = context.admissions.narrow(open, ask);
    if (!isRejection(admission)) return explainForAdmission(admission, group, context);
    if (admission.by !== 'requirements') return admission;
    return reject('requirements', requirementMiss(source, ask));
  });
  return reasons.reduce((best, each) =>
    best && each && nearness(each) <= nearness(best) ? best : best && each,
  );
}

/** What is missing where rules over domains let the pod be; undefined if nothing is. */
function explainHeldBack(
  source: Source,
  {
    group,
    heldBack,
    context,
  }: { group: PodGroup; heldBack: HeldBack | undefined; context: RefusalContext },
): Rejection | undefined {
  if (!heldBack) return undefined;
  const { because } = heldBack;
  if (heldBack.kind === 'nowhere') return reject('topology', because);
  const there = explainForSource(source, confinedTo(group, heldBack.open), context);
  if (!there) return undefined;
  return there.by === 'requirements'
    ? reject('topology', `${because}, where the pool makes no node for it`)
    : reject(there.by, `${because}; there, ${there.because}`);
}

/** What is left to say where a NodePool would do for the pod by itself. */
function nothingElse({ standing, sample }: PodGroup): Rejection {
  const bond = standing.byNode.find(({ rule, owns }) => owns && rule.kind === 'affinity');
  if (bond) return reject('topology', describePart(bond, sample.meta.namespace));
  if (standing.byDomain.some(({ owns }) => owns)) {
    return reject(
      'topology',
      'its topology rules leave it no node beside the pods that are placed',
    );
  }
  return reject('reservations', 'every reserved instance that could hold it is taken');
}

/** Why there is no way left in which a pod's demands could be met, whatever the NodePool. */
const nothingAsked = ({ sample }: PodGroup): Rejection =>
  reject(
    'requirements',
    requiredAlternatives(sample).length === 0
      ? 'its node selector and required node affinity contradict each other'
      : 'its volumes and its node affinity allow no node there',
  );

function requirementMiss({ requirements, types }: Source, ask: Ask): string {
  const mismatch =
    describeMismatch(requirements, ask.places ?? NO_REQUIREMENTS, 'its volumes can only be in') ??
    describeMismatch(requirements, ask.requirements) ??
    describeMismatch(requirements, ask.present);
  if (mismatch !== undefined) return mismatch;
  const isPresent = types.some((type) => agrees(type.requirements, ask.present));
  const missing = isPresent ? ask.requirements : ask.present;
  return describeMissingTypes(types, requirements, missing, 'the pool allows');
}

const explainNothingOpen = ({ types }: Source): Rejection =>
  types.length === 0
    ? reject('instanceTypes', 'its requirements leave no instance type')
    : reject('offerings', `all ${types.length} instance types that it allows are sold out`);

function explainForAdmission(
  admission: Admission,
  group: PodGroup,
  context: RefusalContext,
): Rejection | undefined {
  const choices = [...admission.choices.values()];
  const fitting = choices.filter(({ sourceType }) => fitsAlone(sourceType.roomAmounts, group));
  if (fitting.length === 0) return reject('resources', resourceMiss(choices, group.requests));

  const { hostPorts } = group;
  const withPorts = fitting.filter(
    ({ sourceType }) => !firstPortConflict(hostPorts, sourceType.daemonPorts),
  );
  if (withPorts.length === 0) return portMiss(fitting, group);
  const attaching = withPorts.filter((choice) => attaches(choice, group));
  if (attaching.length === 0) return volumeMiss(withPorts);

  const allowance = allowanceIn(context.ledger, admission.source.nodePool);
  const allowed = attaching.filter((choice) => allows(allowance, choice));
  if (allowance && allowed.length === 0) {
    return reject('limits', limitMiss(attaching, allowance, admission.source.name));
  }
  const unmet = unmetMinimums(
    allowed.map(({ sourceType }) => sourceType),
    admission.requirements,
  );
  if (unmet.length > 0) {
    return reject(
      'minValues',
      `the types that hold it offer only ${describeMinimums(unmet)} that minValues demands`,
    );
  }
  return undefined;
}

const attaches = ({ sourceType }: Choice, group: PodGroup): boolean =>
  mostAttachable(group, sourceType.attachmentLimits ?? NO_LIMITS, new Map()) > 0;

/** Names the type that may have most volumes attached, the first by name of equals. */
function volumeMiss(choices: readonly Choice[]): Rejection {
  const [most] = choices
    .map(({ sourceType: { type, attachmentLimits = NO_LIMITS } }) => ({
      name: type.name,
      count: Math.max(...[...attachmentLimits.values()].map(({ count }) => count)),
    }))
    .sort((a, b) => b.count - a.count || compareText(a.name, b.name));
  const told = most ? `: the largest of the pool takes ${most.count} (${most.name})` : '';
  return reject('volumes', `it has more volumes than one node may have attached${told}`);
}

function fitsAlone(room: readonly number[], { amounts }: PodGroup): boolean {
  return amounts.every((amount, axis) => amount === 0 || amount <= (room[axis] ?? 0));
}

function portMiss(fitting: readonly Choice[], { hostPorts }: PodGroup): Rejection {
  const taken = fitting.flatMap(({ sourceType }) => sourceType.daemonPorts);
  const port = firstPortConflict(hostPorts, taken);
  const name = port ? describeHostPort(port) : 'its host port';
  return reject('hostPorts', `${name} is taken by a DaemonSet on every node that could hold it`);
}
