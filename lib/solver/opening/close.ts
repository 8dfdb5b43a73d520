import { firstPortConflict, type HostPort } from '#lib/constraints/host-ports.ts';
import { isRejection, type Rejection } from '#lib/constraints/rejection.ts';
import type { Admission, Admissions } from '../admission.ts';
import { type Amounts, isWithin, most } from '../amounts.ts';
import { mostPerNode } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';
import { mayShare } from '../topology/node-rules.ts';
import { choicesByPrice } from './by-price.ts';
import { isHolder, type NodeClaimDraft, offersEnough, openDraft } from './draft.ts';
import type { FillContext } from './fill.ts';
import { type Ledger, tightAllowanceIn } from './ledger.ts';
import type { Lineup, Portion } from './lineup.ts';

/**
 * The cheapest single node of `source` that holds all of the lineup, or undefined where there is
 * none. A plan that is built node by node compares with this at each step: what is left may be
 * cheaper together than what suits each of its parts.
 *
 * Cost: portions + instance types.
 */
export function closeDraft(
  { portions, total }: Lineup,
  source: Source,
  ledger: Ledger,
  { admissions, mayBegin }: FillContext,
): NodeClaimDraft | undefined {
  if (!isWithin(total, largestRoom(source))) return undefined;
  if (!source.types.some(({ roomAmounts }) => isWithin(total, roomAmounts))) return undefined;
  const counts = new Map(portions.map(({ group, left }) => [group, left]));
  if (!mayShare(counts, { mayBegin })) return undefined;
  const hostPorts = portsTogether(portions);
  const admission = hostPorts && admissionOfAll(portions, source, admissions);
  if (!admission) return undefined;
  const [any] = admission.choices.values();
  if (!any) return undefined;
  const draft: NodeClaimDraft = {
    ...openDraft(admission, any, tightAllowanceIn(ledger, source)),
    used: total,
    hostPorts,
    counts,
  };
  const shape = choicesByPrice(admission).find((choice) => isHolder(draft, choice));
  if (!shape) return undefined;
  const closed = { ...draft, shape, usdPerHour: shape.usdPerHour };
  return source.hasMinValues && !offersEnough(closed) ? undefined : closed;
}

const largestRooms = new WeakMap<Source, Amounts>();

/** The most that any type has of each resource. */
function largestRoom(source: Source): Amounts {
  const known = largestRooms.get(source);
  if (known) return known;
  const rooms = source.types.map(({ roomAmounts }) => roomAmounts);
  const largest = rooms.reduce<Amounts>(most, []);
  largestRooms.set(source, largest);
  return largest;
}

/** The host ports of all pods, or undefined where two of them clash. */
function portsTogether(portions: readonly Portion[]): readonly HostPort[] | undefined {
  const taken: HostPort[] = [];
  for (const { group, left } of portions) {
    if (left > mostPerNode(group) || firstPortConflict(group.hostPorts, taken)) return undefined;
    taken.push(...group.hostPorts);
  }
  return taken;
}

/** What is left when everybody has joined, outside reservations. */
function admissionOfAll(
  portions: readonly Portion[],
  source: Source,
  admissions: Admissions,
): Admission | undefined {
  const open = admissions.open(source);
  let admission = isRejection(open) ? undefined : unless(admissions.unreserved(open));
  for (const { asks } of portions) {
    const before: Admission | undefined = admission;
    if (!before) return undefined;
    [admission] = asks.flatMap((ask) => unless(admissions.narrow(before, ask)) ?? []);
  }
  return admission;
}

const unless = (answer: Admission | Rejection): Admission | undefined =>
  isRejection(answer) ? undefined : answer;
