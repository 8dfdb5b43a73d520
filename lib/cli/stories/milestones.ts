import type { Entry } from '#lib/sim/journal.ts';
import type { World } from '#lib/sim/world.ts';
import { at, isReady, isTrue, whyNot } from './cast.ts';

/** So many times is it told, on the way to all of them, how many pods run. */
const STEPS = 2;

/**
 * Tells `hear` what a person would watch for with kubectl: how many of the pods run, NodePools
 * and NodeClaims that are done, nodes that are gone. No part of the world says these of itself, so they are no
 * part of its journal.
 */
export function tellMilestones(world: World, hear: (entry: Entry) => void): void {
  const tell = (text: string) => hear({ at: world.clock.now(), source: 'kubernetes', text });
  const podsRun = countRunning(tell);
  const isBecoming = watchStates(tell);
  world.kubernetes.onChange(({ object, type }) => {
    const { uid, name } = object.metadata;
    if (object.kind === 'Pod') podsRun(uid, type === 'deleted' ? 'gone' : stateOf(object));
    if (object.kind === 'Node' && type === 'deleted') tell(`Node ${name} is gone`);
    if (object.kind === 'NodePool' || object.kind === 'NodeClaim') isBecoming(object);
  });
}

type PodState = 'waiting' | 'running' | 'gone';

function stateOf(pod: unknown): PodState {
  if (at(pod, 'metadata', 'deletionTimestamp') !== undefined) return 'gone';
  const phase = String(at(pod, 'status', 'phase'));
  if (phase === 'Succeeded' || phase === 'Failed') return 'gone';
  return isReady(at(pod, 'status', 'conditions')) ? 'running' : 'waiting';
}

/** Tells when what NodePools and NodeClaims are to become has come about, or cannot. */
function watchStates(tell: (text: string) => void): (object: Named) => void {
  const known = new Map<string, string>();
  return (object) => {
    const { uid, name } = object.metadata;
    const now = object.kind === 'NodePool' ? poolState(object) : claimState(object);
    if (now === undefined || known.get(uid) === now) return;
    known.set(uid, now);
    tell(`${object.kind} ${name} ${now}`);
  };
}

interface Named {
  readonly kind?: string;
  readonly metadata: { readonly uid: string; readonly name: string };
}

/** Reasons that say nothing but that nobody has looked yet. */
const UNKNOWN_YET = /\(\w+Unknown: /;

function poolState(pool: unknown): string | undefined {
  if (isTrue(pool, 'Ready')) return 'is Ready';
  const why = whyNot(pool);
  return why === undefined || UNKNOWN_YET.test(why) ? undefined : `is not ready: ${why}`;
}

const claimState = (claim: unknown): string | undefined =>
  isTrue(claim, 'Initialized')
    ? `is Initialized: its node ${at(claim, 'status', 'nodeName')} serves`
    : undefined;

/** Hears of each pod, and tells when half of them run, all of them, and when none is left. */
function countRunning(tell: (text: string) => void): (uid: string, state: PodState) => void {
  const states = new Map<string, PodState>();
  let running = 0;
  let told = 0;
  return (uid, state) => {
    const before = states.get(uid);
    if (before === state || (before === undefined && state === 'gone')) return;
    if (state === 'gone') states.delete(uid);
    else states.set(uid, state);
    running += Number(state === 'running') - Number(before === 'running');
    const all = states.size;
    if (all === 0) tell('no pods are left');
    const step = all === 0 ? 0 : Math.floor((running * STEPS) / all);
    if (step > told && state === 'running') tell(`${running} of ${all} pods run`);
    told = step;
  };
}
