import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { allUp, type Happening, playedBetween } from '#test/build/command-world.ts';
import { aDriftedNode } from '#test/build/drifted-nodes.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster, aFreePool, aMember, mover } from '#test/build/members.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { applied, quietWorld } from '#test/build/quiet-world.ts';

/** What was told, as "Kind Reason: message", each once. */
const told = (actions: readonly Action[]): readonly string[] => [
  ...new Set(
    actions.flatMap((action) =>
      action.kind === 'recordEvent'
        ? [`${action.about.kind} ${action.reason}: ${action.message}`]
        : [],
    ),
  ),
];

const SMALL = anInstanceType('m5.large', { cpu: 2 });
const LARGE = anInstanceType('m5.4xlarge', { cpu: 16, pods: 234 });
const proposedFor = (nodes: readonly StateNode[]): Snapshot =>
  aCluster(nodes, { types: [LARGE, SMALL], nodePools: [aFreePool()] });

describe('what nodes are told of consolidation', () => {
  it('is what it would save to replace one', () => {
    const plan = decideConsolidate(
      proposedFor([aMember('a', { type: LARGE, pods: [mover('x', 500)] })]),
    );

    expect(told(plan.actions)).toEqual(
      ['Node', 'NodeClaim'].map(
        (kind) =>
          `${kind} ConsolidationCandidate: Consolidation candidate: replace: [a] -> [1 replacement] (savings: $0.70)`,
      ),
    );
  });

  it('is how many go together where it is several', () => {
    const nodes = ['a', 'b', 'c'].map((name) =>
      aMember(name, { type: LARGE, pods: [mover(`on-${name}`, 300)] }),
    );

    expect(told(decideConsolidate(proposedFor(nodes)).actions)).toContainEqual(
      expect.stringMatching(
        /^Node ConsolidationCandidate: .*: \[a\] \(part of \d-node consolidation\)$/,
      ),
    );
  });

  it('is why it came to nothing, in upstream’s word', () => {
    const seen = proposedFor([aMember('a', { type: LARGE, pods: [mover('x', 500)] })]);
    const proposed = applied(seen, decideConsolidate(seen).actions);
    const guard = { 'karpenter.sh/do-not-disrupt': 'true' };
    const guarded: Happening = (snapshot) => ({
      ...snapshot,
      nodes: snapshot.nodes.map((state) => ({
        ...state,
        pods: state.pods.map((pod) => ({ ...pod, meta: { ...pod.meta, annotations: guard } })),
      })),
    });
    const { actions } = playedBetween(0, 20, proposed, guarded);

    expect(told(actions)).toContainEqual(
      expect.stringMatching(
        /^NodeClaim ConsolidationRejected: Consolidation rejected: \[a\], reason: churn \(savings: \$0\.70\)/,
      ),
    );
  });
});

describe('what is told of a command that is carried out', () => {
  it('is told of its replacement while that comes, then of its nodes', () => {
    const nodePools = [aNodePool({ disruption: { budgets: [{ nodes: '100%' }] } })];
    const upAt: Happening = (snapshot, second) =>
      second === 40 ? allUp(snapshot, second) : snapshot;
    const world = quietWorld({ nodePools, nodes: [aDriftedNode()] });
    const said = told(playedBetween(0, 60, world, upAt).actions);

    expect(said).toEqual(
      expect.arrayContaining([
        'NodeClaim DisruptionLaunching: Launching NodeClaim: Drifted',
        'NodeClaim DisruptionWaitingReadiness: Waiting on readiness to continue disruption',
        'Node DisruptionTerminating: Disrupting Node: Drifted',
        'NodeClaim DisruptionTerminating: Disrupting NodeClaim: Drifted',
      ]),
    );
  });
});
