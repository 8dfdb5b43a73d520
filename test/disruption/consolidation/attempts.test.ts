import { describe, expect, it } from 'vitest';
import type { Blocked } from '#lib/disruption/candidates.ts';
import { openAttempts } from '#lib/disruption/consolidation/attempts.ts';
import { sourceOf } from '#lib/disruption/consolidation/eligible.ts';
import { hurdleOf } from '#lib/disruption/consolidation/hurdle.ts';
import type { Prospect, SearchProblem } from '#lib/disruption/consolidation/prospect.ts';
import { aCluster, aMember, mover } from '#test/build/members.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const snapshot = aCluster(NAMES.map((name) => aMember(name, { pods: [mover(`on-${name}`, 100)] })));
const prospects: readonly Prospect[] = snapshot.nodes.flatMap((state) => {
  const source = sourceOf(state, { snapshot, nominated: new Set() });
  return 'by' in source ? [] : [{ source, movers: [], worth: 0, isDue: false }];
});
const named = (...names: readonly string[]) =>
  prospects.filter(({ source }) => names.includes(source.name));

const DEAR: Blocked = { by: 'price', because: "Can't replace with a cheaper node" };
const problem: SearchProblem = {
  prospects,
  rooms: { fit: () => ({ placed: [], left: [] }), take: () => undefined, close: () => undefined },
  prices: { worth: () => 0, nodeFor: () => 0 },
  hurdle: hurdleOf(0, 0),
  objection: () => undefined,
  certify: () => DEAR,
  commit: () => undefined,
  spotToSpot: false,
  mostNodes: 5,
  mostTogether: 8,
  axes: [],
  mostCertified: 100,
  mostCommands: 10,
};

describe('openAttempts', () => {
  it('says of a node that failed in sets alone what those failed of, not that time was short', () => {
    const attempts = openAttempts(problem, () => new Set());
    for (const other of ['b', 'c', 'd']) attempts.attempt(named('a', other));

    expect(attempts.isHopeless(named('a'))).toBe(true);
    expect(attempts.why().get('a')).toEqual({
      by: 'price',
      because: "together with d: Can't replace with a cheaper node",
    });
    expect(attempts.why().get('e')?.by).toBe('work');
  });

  it('prefers what a node failed of by itself', () => {
    const attempts = openAttempts(problem, () => new Set());
    attempts.attempt(named('a'));
    attempts.attempt(named('a', 'b'));

    expect(attempts.why().get('a')).toEqual(DEAR);
  });
});
