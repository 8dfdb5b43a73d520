import { compareText } from '#lib/constraints/order.ts';
import type { Blocked } from '#lib/disruption/candidates.ts';
import type { LiveCommand } from '#lib/disruption/commands/in-flight.ts';
import { isStaying, type Phase, phaseFactsOf, phaseOf } from '#lib/disruption/commands/phase.ts';
import { replacementsOf } from '#lib/disruption/commands/replacements.ts';
import { giveBackMembers, markMembers, rememberOn } from '#lib/disruption/commands/steps.ts';
import { strayActions } from '#lib/disruption/commands/strays.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import type { Command } from '#lib/model/command.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Creation } from '../creations.ts';
import type { Placing } from '../place.ts';
import { endOf } from './end.ts';
import { launchingEvents, rejectionEvents, waitingEvents } from './events.ts';
import { lastVerdict } from './judge.ts';
import { openStaticRoom } from './static-renewal.ts';
import { type Validating, validate } from './validate.ts';

/** What carrying commands on comes to, as parts of a Plan. */
export interface CarriedOn {
  /** Those whose nodes are deleted by this plan. */
  readonly commands: readonly Command[];
  readonly creations: readonly Creation[];
  readonly actions: readonly Action[];
  readonly lookAgainInMs?: number;
}

/** What one command comes to at one look. */
interface Step extends Partial<CarriedOn> {
  readonly next?: SimulationFacts;
}

const SOON_MS = 1_000;
/**
 * Pods are packed anew for each; pods that wait for a node wait for that, too. The rest is the next
 * look's. Empty nodes are looked at quickly.
 */
const MOST_VALIDATED = 20;
/** While a node joins. */
const JOINING_MS = 5_000;

/**
 * One step further for every command that is under way, whoever proposed it, and the tidying up
 * after those that are no more. Each step can be cut off before, within or after any of its writes:
 * the next look finds the same step or the one after it.
 *
 * proposed → validated (15 seconds later, worked out anew) → tainted → launching → waiting →
 * deleting → done; or undone, when a replacement comes to nothing, when consent is withdrawn, when
 * pods came that have no other place, or when somebody deletes a node of it.
 *
 * Source: karpenter v1.14, disruption/{queue,validation}.go. There commands live in memory.
 */
export function carryOn(given: SimulationFacts, placing: Placing): CarriedOn {
  const { snapshot, inFlight } = given;
  const phaseFacts = phaseFactsOf(snapshot, inFlight.members.size);
  const live = inFlight.commands
    .map((command) => ({ command, phase: phaseOf(command, phaseFacts) }))
    .sort(
      (a, b) =>
        a.command.record.proposedAt - b.command.record.proposedAt ||
        compareText(a.command.record.id, b.command.record.id),
    );
  const decided = live.filter(({ phase }) => !OPEN.has(phase.kind));
  const committed = new Set(
    decided.flatMap(({ command }) => command.members.map(({ name }) => name)),
  );
  let validating: Validating = {
    facts: given,
    ledger: openLedger({ snapshot, inFlight: committed }),
    room: openStaticRoom(snapshot),
  };
  const steps: Step[] = [];
  const ripe = live.filter(
    ({ command, phase }) => phase.kind === 'ripe' && command.record.reason !== 'Empty',
  );
  const postponed = new Set(ripe.slice(MOST_VALIDATED));
  for (const each of live) {
    const { command, phase } = each;
    if (postponed.has(each)) {
      steps.push({ lookAgainInMs: SOON_MS });
      continue;
    }
    const step = stepOf(command, phase, validating, placing);
    if (step.next) validating = { ...validating, facts: step.next };
    steps.push(step);
  }
  const awaited = new Set(given.toPlace.expected.values());
  const strays = strayActions(snapshot, inFlight, awaited);
  const looks = [
    ...steps.flatMap(({ lookAgainInMs }) => lookAgainInMs ?? []),
    ...(strays.length > 0 ? [SOON_MS] : []),
  ];
  return {
    commands: steps.flatMap(({ commands = [] }) => commands),
    creations: steps.flatMap(({ creations = [] }) => creations),
    actions: [...steps.flatMap(({ actions = [] }) => actions), ...strays],
    ...(looks.length > 0 && { lookAgainInMs: Math.min(...looks) }),
  };
}

/** Phases in which nothing was done to a node yet. */
const OPEN: ReadonlySet<Phase['kind']> = new Set(['proposed', 'ripe', 'withdrawn']);

function stepOf(
  command: LiveCommand,
  phase: Phase,
  validating: Validating,
  placing: Placing,
): Step {
  const { record, members } = command;
  const { snapshot } = validating.facts;
  const now = snapshot.takenAt;
  const living = members.filter(isStaying);
  switch (phase.kind) {
    case 'proposed':
      return { lookAgainInMs: phase.ripeInMs };
    case 'ripe':
      return validationStep(command, validating);
    case 'validated':
      return { actions: markMembers(living, record.reason, now), lookAgainInMs: SOON_MS };
    case 'tainted':
      return creationStep(command, validating);
    case 'launching': {
      const known = { ...record, waitingSince: record.waitingSince ?? now };
      return {
        actions: [...rememberOn(claimsOf(living), known), ...launchingEvents(command, snapshot)],
        lookAgainInMs: SOON_MS,
      };
    }
    case 'waiting':
      return { actions: waitingEvents(command, snapshot), lookAgainInMs: JOINING_MS };
    case 'ready':
      return endOf(command, validating.facts, placing);
    case 'done':
      return {};
    case 'withdrawn':
      return { actions: giveBackMembers(living, undefined, now), lookAgainInMs: SOON_MS };
    case 'undone':
      return { actions: giveBackMembers(living, phase, now), lookAgainInMs: SOON_MS };
  }
}

function validationStep(command: LiveCommand, validating: Validating): Step {
  const { facts } = validating;
  const found = validate(command, validating);
  if ('by' in found) return rejectionStep(command, found, facts);
  return { ...found, lookAgainInMs: SOON_MS };
}

/** Who is found not to be empty any more is left alone by the rule itself; others rest a while. */
function rejectionStep(command: LiveCommand, why: Blocked, { snapshot }: SimulationFacts): Step {
  const failure = command.record.reason === 'Empty' ? undefined : { because: why.because };
  return {
    actions: [
      ...giveBackMembers(command.members, failure, snapshot.takenAt),
      ...rejectionEvents(command, why),
    ],
    lookAgainInMs: SOON_MS,
  };
}

/** What came before the taint, and would undo the command at its end, undoes it before anything is bought. */
function creationStep(command: LiveCommand, { facts }: Validating): Step {
  const { record, members } = command;
  const { snapshot } = facts;
  const giveBack = (because: string): Step => ({
    actions: giveBackMembers(members, { because }, snapshot.takenAt),
    lookAgainInMs: SOON_MS,
  });
  const verdict = lastVerdict(command, facts);
  if (verdict.kind === 'never') return giveBack(verdict.because);
  const keeper = claimsOf(members).find(({ meta }) => meta.uid === record.members[0]);
  const wanted = keeper && replacementsOf(keeper);
  const names = new Set(record.validated?.replacements);
  if (!wanted || wanted.some(({ name }) => !names.has(name))) {
    return giveBack('what was to replace it cannot be read any more');
  }
  const present = new Set(snapshot.nodes.flatMap(({ claim }) => claim?.meta.name ?? []));
  const missing = wanted.filter(({ name }) => !present.has(name));
  return {
    creations: missing.map((claim) => ({ kind: 'createNodeClaim', claim, forPods: [] })),
    lookAgainInMs: SOON_MS,
  };
}

const claimsOf = (members: LiveCommand['members']): readonly NodeClaim[] =>
  members.flatMap(({ claim }) => claim ?? []);
