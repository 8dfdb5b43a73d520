import { isReschedulable } from '#lib/consent/pods.ts';
import { INITIALIZED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { DISRUPTION, PLACES, REPLACEMENTS, REPLACES } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { isServed } from '#lib/model/node-pool.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { lastGivenUp } from './back-off.ts';
import type { InFlight, LiveCommand } from './in-flight.ts';
import { isStaying } from './phase.ts';
import { change, releaseNode } from './steps.ts';

/**
 * What is left of commands that are no more. A node that no command holds loses taint, condition
 * and records, whoever left them there. A replacement whose command ended stays as a node like any
 * other if it serves: it is up, or pods are meant for it; else it is removed. A node that is not
 * initialized keeps its taint, as upstream leaves it.
 *
 * Source: karpenter v1.14, disruption/controller.go, Reconcile (it leaves replacements behind).
 */
export function strayActions(
  { nodes }: Snapshot,
  inFlight: InFlight,
  awaited: ReadonlySet<string>,
): readonly Action[] {
  const held = new Set(inFlight.commands.flatMap(({ members }) => members.map(({ name }) => name)));
  const alive = new Set(inFlight.commands.filter(isAlive).map(({ record }) => record.id));
  const givenUp = new Map(
    nodes.flatMap(({ claim }) => {
      const last = claim && lastGivenUp(claim);
      return last ? [[last.command, last.because] as const] : [];
    }),
  );
  return nodes.flatMap((state) => {
    const { claim, node, name } = state;
    if (!claim || !isServed(claim.spec.nodeClassRef)) return [];
    if (claim.meta.deletedAt !== undefined || node?.meta.deletedAt !== undefined) return [];
    const replaces = claim.meta.annotations[REPLACES];
    return [
      ...(held.has(name) ? [] : release(state, claim)),
      ...(replaces === undefined || alive.has(replaces)
        ? []
        : settle(state, claim, { awaited, because: givenUp.get(replaces) })),
    ];
  });
}

const isAlive = ({ members }: LiveCommand): boolean => members.some(isStaying);

const release = (state: StateNode, claim: NodeClaim): readonly Action[] => [
  ...change(claim, { [DISRUPTION]: null, [REPLACEMENTS]: null, [PLACES]: null }),
  ...(isTrue(claim.status.conditions, INITIALIZED) ? releaseNode(state) : []),
];

/** What became of a command: where `because` is absent, it was carried out, as far as one knows. */
interface Ended {
  readonly awaited: ReadonlySet<string>;
  readonly because: string | undefined;
}

function settle(
  state: StateNode,
  claim: NodeClaim,
  { awaited, because }: Ended,
): readonly Action[] {
  const why = whyKept(state, claim, awaited);
  if (why === undefined) {
    return [
      ...told(state, 'Removed', 'Removed: the command that it was made for was given up'),
      { kind: 'delete', object: claimRef(claim), because: 'its command was undone' },
    ];
  }
  const message = `Kept, because ${why}, though the command that it was made for was given up: ${because}`;
  return [
    ...change(claim, { [REPLACES]: null }),
    ...(because === undefined ? [] : told(state, 'Kept', message)),
  ];
}

function whyKept(
  { name, pods }: StateNode,
  { status }: NodeClaim,
  awaited: ReadonlySet<string>,
): string | undefined {
  if (isTrue(status.conditions, INITIALIZED)) return 'it is up';
  if (pods.some(isReschedulable)) return 'pods run on it';
  return awaited.has(name) ? 'pods are meant for it' : undefined;
}

const told = (
  { node, claim }: StateNode,
  what: 'Kept' | 'Removed',
  message: string,
): readonly Action[] => {
  const about = node ? nodeRef(node) : claim && claimRef(claim);
  const reason = `DisruptionReplacement${what}`;
  return about ? [{ kind: 'recordEvent', about, type: 'Normal', reason, message }] : [];
};
