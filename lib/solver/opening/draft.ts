import { firstPortConflict, type HostPort } from '#lib/constraints/host-ports.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import type { Admission, Admissions, Choice } from '../admission.ts';
import { type Amounts, plus, timesThatFit } from '../amounts.ts';
import type { Ask } from '../pods/ask.ts';
import { mostPerNode, type PodGroup } from '../pods/pod-groups.ts';
import type { SourceType } from '../sources.ts';
import { mostBeside, type NodeContext } from '../topology/node-rules.ts';
import {
  type AttachmentLimits,
  holdsAttachments,
  mostAttachable,
  NO_LIMITS,
} from '../volumes/attachments.ts';
import { type Allowance, allows } from './limits.ts';
import { unmetMinimums } from './min-values.ts';

/**
 * A NodeClaim that is still being filled. It is packed to one instance type, its shape, and never
 * beyond it; when it is sealed, every type that holds what it holds is listed.
 */
export interface NodeClaimDraft {
  readonly admission: Admission;
  readonly shape: Choice;
  /** Never more than this: no pod may join that would make the shape dearer. */
  readonly usdPerHour: number;
  /** What the pods take, daemons not counted. */
  readonly used: Amounts;
  readonly hostPorts: readonly HostPort[];
  readonly counts: ReadonlyMap<PodGroup, number>;
  /** The capacity reservation that its node is drawn from. */
  readonly reservationId?: string;
  /** What the pool's limits allowed when the draft was opened; types beyond are not listed. */
  readonly allowance: Allowance;
  /** Minimums as lowered for this draft, where that was allowed and needed. */
  readonly lowered?: Requirements;
}

/** A draft that holds nothing yet. */
export const openDraft = (
  admission: Admission,
  shape: Choice,
  allowance: Allowance,
): NodeClaimDraft => ({
  admission,
  shape,
  usdPerHour: shape.usdPerHour,
  used: shape.sourceType.roomAmounts.map(() => 0),
  hostPorts: [],
  counts: new Map(),
  allowance,
});

/** What `draft` becomes when a pod that asks this joins, its amounts left aside; or undefined. */
export function narrowDraft(
  draft: Pick<NodeClaimDraft, 'admission' | 'shape' | 'usdPerHour'>,
  asks: readonly Ask[],
  admissions: Admissions,
): Pick<NodeClaimDraft, 'admission' | 'shape'> | undefined {
  for (const ask of asks) {
    const admission = admissions.narrow(draft.admission, ask);
    if (isRejection(admission)) continue;
    const shape = admission.choices.get(draft.shape.sourceType.type.name);
    if (shape && shape.usdPerHour <= draft.usdPerHour) return { admission, shape };
  }
  return undefined;
}

/** How many pods may join at most, and what is asked about them. */
export interface JoinContext extends Pick<NodeContext, 'mayBegin' | 'mayCrowd'> {
  readonly most: number;
  readonly admissions: Admissions;
}

/**
 * `draft` with as many pods of `group` as go in, at most `most`, or undefined if none does.
 *
 * Source: karpenter v1.14, provisioning/scheduling/nodeclaim.go, CanAdd and Add.
 */
export function joinDraft(
  draft: NodeClaimDraft,
  group: PodGroup,
  asks: readonly Ask[],
  { most, admissions, ...beside }: JoinContext,
): NodeClaimDraft | undefined {
  const { sourceType } = draft.shape;
  const fitting = Math.min(
    most,
    mostPerNode(group),
    timesThatFit(sourceType.roomAmounts, draft.used, group.amounts),
    mostAttachable(group, limitsOf(sourceType), draft.counts),
  );
  if (fitting < 1) return undefined;
  const joining = Math.min(fitting, mostBeside(group, draft.counts, beside));
  if (joining < 1) return undefined;
  const taken = [...draft.hostPorts, ...sourceType.daemonPorts];
  if (group.hostPorts.length > 0 && firstPortConflict(group.hostPorts, taken)) return undefined;
  const narrowed = narrowDraft(draft, asks, admissions);
  if (!narrowed) return undefined;
  const withPods = (count: number): NodeClaimDraft => ({
    ...draft,
    ...narrowed,
    used: plus(draft.used, group.amounts, count),
    hostPorts: [...draft.hostPorts, ...group.hostPorts],
    counts: new Map(draft.counts).set(group, (draft.counts.get(group) ?? 0) + count),
  });
  if (!draft.admission.source.hasMinValues) return withPods(joining);
  return mostThatKeepsMinimums(withPods, joining);
}

/** More pods leave fewer types, so the largest count that still offers enough is searched for. */
function mostThatKeepsMinimums(
  withPods: (count: number) => NodeClaimDraft,
  fitting: number,
): NodeClaimDraft | undefined {
  let [kept, tooMany] = [0, fitting + 1];
  let best: NodeClaimDraft | undefined;
  while (tooMany - kept > 1) {
    const count =
      kept === 0 && tooMany === fitting + 1 ? fitting : Math.floor((kept + tooMany) / 2);
    const draft = withPods(count);
    if (offersEnough(draft)) [kept, best] = [count, draft];
    else tooMany = count;
  }
  return best;
}

/** Whether the types that hold `draft` offer as many values as its NodePool demands. */
export const offersEnough = (draft: NodeClaimDraft): boolean =>
  unmetMinimums(
    holdersOf(draft).map(({ sourceType }) => sourceType),
    requirementsOfDraft(draft),
  ).length === 0;

/** The Requirements of a draft, its minimums lowered where that was needed. */
export const requirementsOfDraft = ({ admission, lowered }: NodeClaimDraft): Requirements =>
  lowered === undefined ? admission.requirements : withMinimumsOf(admission.requirements, lowered);

function withMinimumsOf(requirements: Requirements, lowered: Requirements): Requirements {
  return new Map(
    [...requirements].map(([key, { minValues: _, ...requirement }]) => {
      const minValues = lowered.get(key)?.minValues;
      return [key, minValues === undefined ? requirement : { ...requirement, minValues }];
    }),
  );
}

/** Every type, with its offerings, that holds what `draft` holds, within limits; by name. */
export const holdersOf = (draft: NodeClaimDraft): readonly Choice[] =>
  [...draft.admission.choices.values()].filter((choice) => isHolder(draft, choice));

/** Whether a node of this choice holds what `draft` holds, within limits. */
export function isHolder(draft: NodeClaimDraft, choice: Choice): boolean {
  const { sourceType } = choice;
  if (!holds(sourceType, draft.used, draft.hostPorts)) return false;
  const limits = limitsOf(sourceType);
  if (limits.size > 0 && !holdsAttachments(limits, draft.counts)) return false;
  return allows(draft.allowance, choice);
}

const limitsOf = ({ attachmentLimits = NO_LIMITS }: SourceType): AttachmentLimits =>
  attachmentLimits;

/** Whether a node of this type has room for `used` and for the ports, its daemons running. */
function holds(
  { roomAmounts, daemonPorts }: SourceType,
  used: Amounts,
  hostPorts: readonly HostPort[],
): boolean {
  for (let axis = 0; axis < roomAmounts.length; axis++) {
    const room = roomAmounts[axis] ?? 0;
    if (room < 0 || (used[axis] ?? 0) > room) return false;
  }
  return hostPorts.length === 0 || firstPortConflict(hostPorts, daemonPorts) === undefined;
}
