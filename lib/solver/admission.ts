import { isRejection, type Rejection, reject } from '#lib/constraints/rejection.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import {
  agrees,
  conflict,
  incompatibility,
  intersectRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOf,
} from '#lib/constraints/requirements.ts';
import { describeTaint, firstUntolerated } from '#lib/constraints/taints.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, RESERVATION_ID, WELL_KNOWN } from '#lib/model/labels.ts';
import type { Ask } from './pods/ask.ts';
import type { Source, SourceType } from './sources.ts';

/** An instance type with those of its offerings that an Admission leaves. */
export interface Choice {
  readonly sourceType: SourceType;
  /** Cheapest first; never empty. */
  readonly offerings: readonly Offering[];
  readonly usdPerHour: number;
}

/** What a NodePool can still give to pods that ask certain things together. */
export interface Admission {
  readonly source: Source;
  readonly asks: readonly Ask[];
  readonly requirements: Requirements;
  /** By type name; whatever their size. Never empty. */
  readonly choices: ReadonlyMap<string, Choice>;
}

/** What joins an Admission: a pod's Ask, or one that the solver makes about reservations. */
const ORDINARY: Ask = {
  requirements: new Map([
    [CAPACITY_TYPE, requirementOf({ key: CAPACITY_TYPE, operator: 'NotIn', values: ['reserved'] })],
  ]),
  present: NO_REQUIREMENTS,
  tolerations: [{ operator: 'Exists' }],
};

/** Answers what NodePools can give, remembering each answer: the same question comes often. */
export interface Admissions {
  /** What `source` gives to anybody. */
  readonly open: (source: Source) => Admission | Rejection;
  /** What is left when a pod with `ask` joins, or why it may not: by taint, label or offering. */
  readonly narrow: (admission: Admission, ask: Ask) => Admission | Rejection;
  /** What is left outside reservations. */
  readonly unreserved: (admission: Admission) => Admission | Rejection;
  /** What is left inside one reservation. */
  readonly reserved: (admission: Admission, reservationId: string) => Admission | Rejection;
}

/**
 * Admissions for one solve. Two Admissions that absorbed the same Asks, in whatever order, are
 * the same object.
 */
export function createAdmissions(): Admissions {
  const ids = new Map<Ask, number>();
  const opened = new Map<Source, Admission | Rejection>();
  const known = new Map<Source, Map<string, Admission | Rejection>>();
  const steps = new Map<Admission, Map<Ask, Admission | Rejection>>();
  const inReservation = new Map<string, Ask>();
  const reserves = new Map<Source, boolean>();

  const idOf = (ask: Ask): number => {
    const id = ids.get(ask) ?? ids.size;
    ids.set(ask, id);
    return id;
  };
  const join = (admission: Admission, ask: Ask): Admission | Rejection => {
    const asks = [...admission.asks, ask].sort((a, b) => idOf(a) - idOf(b));
    const key = asks.map(idOf).join(' ');
    const ofSource = remember(known, admission.source, () => new Map());
    return remember(ofSource, key, () => narrowed(admission, ask, asks));
  };
  const narrow = (admission: Admission, ask: Ask): Admission | Rejection => {
    if (admission.asks.includes(ask)) return admission;
    const answers = remember(steps, admission, () => new Map<Ask, Admission | Rejection>());
    return remember(answers, ask, () => join(admission, ask));
  };
  return {
    open: (source) => remember(opened, source, () => everything(source)),
    narrow,
    unreserved: (admission) =>
      remember(reserves, admission.source, () => sellsReserved(admission.source))
        ? narrow(admission, ORDINARY)
        : admission,
    reserved: (admission, reservationId) =>
      narrow(
        admission,
        remember(inReservation, reservationId, () => askForReservation(reservationId)),
      ),
  };
}

const sellsReserved = ({ types }: Source): boolean =>
  types.some(({ offerings }) => offerings.some(({ capacityType }) => capacityType === 'reserved'));

/** What `source` gives to a pod that may ask in any of these ways, one Admission for each. */
export function admissionsFor(
  source: Source,
  asks: readonly Ask[],
  admissions: Admissions,
): readonly Admission[] {
  const open = admissions.open(source);
  if (isRejection(open)) return [];
  return asks.flatMap((ask) => {
    const admission = admissions.narrow(open, ask);
    return isRejection(admission) ? [] : [admission];
  });
}

function remember<K, V>(answers: Map<K, V>, key: K, answer: () => V): V {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const fresh = answer();
  answers.set(key, fresh);
  return fresh;
}

const askForReservation = (reservationId: string): Ask => ({
  requirements: requirementsOf([
    { key: CAPACITY_TYPE, operator: 'In', values: ['reserved'] },
    { key: RESERVATION_ID, operator: 'In', values: [reservationId] },
  ]),
  present: NO_REQUIREMENTS,
  tolerations: [{ operator: 'Exists' }],
});

function everything(source: Source): Admission | Rejection {
  const choices = new Map<string, Choice>();
  for (const sourceType of source.types) {
    const choice = choiceOf(sourceType, sourceType.offerings);
    if (choice) choices.set(sourceType.type.name, choice);
  }
  if (choices.size === 0) {
    return reject(
      'instanceTypes',
      'nodepool requirements filtered out all available instance types',
    );
  }
  return { source, asks: [], requirements: source.requirements, choices };
}

/** An instance type with these of its offerings, cheapest first; undefined where there is none. */
export const choiceOf = (
  sourceType: SourceType,
  offerings: readonly Offering[],
): Choice | undefined => {
  const [cheapest] = offerings;
  return cheapest && { sourceType, offerings, usdPerHour: cheapest.usdPerHour };
};

/**
 * Source: karpenter v1.14, provisioning/scheduling/nodeclaim.go, CanAdd; the order of the checks.
 */
function narrowed(admission: Admission, ask: Ask, asks: readonly Ask[]): Admission | Rejection {
  const taint = firstUntolerated(admission.source.taints, ask.tolerations);
  if (taint) return reject('taints', `it does not tolerate the taint ${describeTaint(taint)}`);
  // What other pods want absent or different is no label: only the pool's own keys are known.
  const { source } = admission;
  const requirements = intersectRequirements(admission.requirements, ask.requirements);
  const problem =
    incompatibility(source.requirements, ask.requirements, WELL_KNOWN) ??
    incompatibility(source.requirements, ask.present, WELL_KNOWN) ??
    conflict(admission.requirements, ask.requirements) ??
    absence(requirements, [source, ...asks]);
  if (problem !== undefined) {
    return reject('requirements', `its node requirements are not met: ${problem}`);
  }
  const { choices, typeAgrees } = choicesWith(admission, requirements, ask.present);
  if (choices.size > 0) return { source, asks, requirements, choices };
  return typeAgrees
    ? reject('offerings', 'no instance type that fits its node requirements is for sale now')
    : reject('requirements', 'no instance type of the pool fits its node requirements');
}

/** Which label would be missing that one of `demands` wants to be there. */
const absence = (
  requirements: Requirements,
  demands: readonly { readonly present: Requirements }[],
): string | undefined =>
  demands.map(({ present }) => conflict(requirements, present)).find((each) => each !== undefined);

/** The choices that are left, and whether some type was left before its offerings were asked. */
function choicesWith(
  admission: Admission,
  requirements: Requirements,
  present: Requirements,
): { readonly choices: ReadonlyMap<string, Choice>; readonly typeAgrees: boolean } {
  const changed = onlyChanged(admission.requirements, requirements);
  if (changed.size === 0 && present.size === 0) {
    return { choices: admission.choices, typeAgrees: true };
  }
  const fits = (labels: Requirements): boolean =>
    agrees(labels, changed) && agrees(labels, present);
  // Thousands of offerings share a few dozen sets of labels.
  const verdicts = new Map<Requirements, boolean>();
  const choices = new Map<string, Choice>();
  let typeAgrees = false;
  for (const [name, choice] of admission.choices) {
    if (!fits(choice.sourceType.requirements)) continue;
    typeAgrees = true;
    const left = choice.offerings.filter(({ requirements: labels }) => {
      const verdict = verdicts.get(labels) ?? fits(labels);
      verdicts.set(labels, verdict);
      return verdict;
    });
    const narrower = choiceOf(choice.sourceType, left);
    if (narrower) choices.set(name, narrower);
  }
  return { choices, typeAgrees };
}

/** The keys on which `after` says more than `before`: nothing else needs to be looked at again. */
function onlyChanged(before: Requirements, after: Requirements): Requirements {
  const changed = [...after].filter(([key, requirement]) => before.get(key) !== requirement);
  return changed.length === 0 ? NO_REQUIREMENTS : new Map(changed);
}
