/**
 * What no command may ever do, over minutes in which functions die at any of their actions. Consent,
 * room and budgets are judged here from the objects alone, by rules written down a second time.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { bought, joined, launched } from '#test/bench/day/cluster.ts';
import { bindAll, movedWith } from '#test/bench/day/pods.ts';
import { anyAgedCluster } from '#test/build/any-aged-cluster.ts';
import { withCreations } from '#test/build/command-world.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';
import { applied } from '#test/build/quiet-world.ts';
import { decidedAgainst, forgotten, overBudget, wornDown, wrongsOf } from './never.ts';

const LOOK = 5 * SECOND;
const JOINS_AFTER = 40 * SECOND;

type Deaths = readonly (number | undefined)[];

/** A cluster over so many looks; what was wrong, and how it ended. */
function played(start: Snapshot, deaths: Deaths, looks: number) {
  let world = start;
  let waiting: readonly Pod[] = start.pods;
  const wrongs: string[] = [];
  for (let look = 0; look < looks; look++) {
    const takenAt = start.takenAt + look * LOOK;
    const isTired = look >= deaths.length;
    world = { ...world, takenAt, pods: waiting, nodes: world.nodes.map(upIfDue(world, takenAt)) };
    const plans = [
      ...(look % 12 === 0 && !isTired ? [decideConsolidate(world)] : []),
      decideProvision(world),
    ];
    for (const plan of plans) {
      const done = plan.actions.slice(0, deaths[look] ?? plan.actions.length);
      wrongs.push(...wrongsOf(world, plan, done).map((each) => `look ${look}: ${each}`));
      const next = launched(withCreations(applied(world, done), done));
      const over = [overBudget, wornDown, decidedAgainst].flatMap((ask) => ask(world, next));
      wrongs.push(...over.map((each) => `look ${look}: ${each}`));
      world = next;
    }
    const gone = world.nodes.filter(
      ({ node, claim }) => claim?.meta.deletedAt !== undefined && node !== undefined,
    );
    const evicted = gone.flatMap(movedWith).map(unbound(look));
    const nodes = world.nodes.filter((state) => !gone.includes(state));
    const bound = bindAll(nodes, [...waiting, ...evicted], (takenAt - NOON) / MINUTE);
    world = { ...world, nodes: bound.nodes };
    waiting = bound.waiting;
  }
  return { world, wrongs };
}

const upIfDue =
  ({ catalog }: Snapshot, now: number) =>
  (state: StateNode): StateNode => {
    const { claim, node } = state;
    if (!claim || node || now - claim.meta.createdAt < JOINS_AFTER) return state;
    const found = bought(claim, catalog);
    return found ? joined(claim, found, now) : state;
  };

const unbound =
  (look: number) =>
  (pod: Pod): Pod => {
    const { nodeName: _, ...rest } = pod;
    const name = `${pod.meta.name.split('+')[0]}+${look}`;
    return {
      ...rest,
      meta: { ...pod.meta, name, uid: `${pod.meta.uid.split('+')[0]}+${look}` },
      phase: 'Pending',
      scheduled: { status: 'False', reason: 'Unschedulable' },
    };
  };

describe('no command, whoever dies when,', () => {
  it('takes what is protected, goes over a budget, leaves a pod homeless or a taint behind', () => {
    fc.assert(
      fc.property(
        anyAgedCluster,
        fc.array(fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined, freq: 2 }), {
          minLength: 24,
          maxLength: 24,
        }),
        (cluster, deaths) => {
          const { world, wrongs } = played(cluster, deaths, 48);
          expect(wrongs).toEqual([]);
          expect(forgotten(world)).toEqual([]);
        },
      ),
      { numRuns: Number(process.env.JOINERY_RUNS ?? 60) },
    );
  }, 600_000);
});
