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
import { MINUTE } from '#test/build/objects.ts';
import { applied, quietWorld } from '#test/build/quiet-world.ts';
import { someSettings } from '#test/build/snapshots.ts';
import { told } from '#test/build/told.ts';

const SMALL = anInstanceType('m5.large', { cpu: 2 });
const LARGE = anInstanceType('m5.4xlarge', { cpu: 16, pods: 234 });
const proposedFor = (nodes: readonly StateNode[], nodePools = [aFreePool()]): Snapshot =>
  aCluster(nodes, { types: [LARGE, SMALL], nodePools });

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

  describe('by NodePools with the policy Balanced', () => {
    const pools = [aFreePool({ disruption: { consolidationPolicy: 'Balanced' } })];
    const approvals = (actions: readonly Action[]) =>
      told(actions).filter((each) => each.includes('Approved'));

    it('is that one is worth it, when that is proposed and never again', () => {
      const seen = proposedFor([aMember('a', { type: LARGE, pods: [mover('x', 500)] })], pools);
      const { actions } = decideConsolidate(seen);
      const carriedOut = playedBetween(0, 90, applied(seen, actions), allUp);

      expect(approvals(actions)).toEqual(
        ['Node', 'NodeClaim'].map(
          (kind) =>
            `${kind} ConsolidationApproved: score 0.87 >= threshold 0.50 (k: 2, savings 87.5%, disruption 100.0%)`,
        ),
      );
      expect(told(carriedOut.actions)).toContain(
        'NodeClaim DisruptionTerminating: Disrupting NodeClaim: Underutilized',
      );
      expect(approvals(carriedOut.actions)).toEqual([]);
    });

    it('is told to the NodePool where several are to go together', () => {
      const nodes = ['a', 'b', 'c'].map((name) =>
        aMember(name, { type: LARGE, pods: [mover(`on-${name}`, 300)] }),
      );

      expect(approvals(decideConsolidate(proposedFor(nodes, pools)).actions)).toEqual([
        expect.stringMatching(/^NodePool ConsolidationApproved: score \d/),
      ]);
    });

    it('is nothing where one is not worth it', () => {
      const many = Array.from({ length: 20 }, (_, at) => mover(`many-${at}`, 40));
      const nodes = [
        aMember('a', { type: LARGE, pods: [mover('few', 14_500)] }),
        aMember('b', { type: SMALL, pods: many }),
      ];
      const minutes = Array.from({ length: 15 }, (_, minute) => {
        const seen = proposedFor(nodes, pools);
        const settings = someSettings({ consolidationMoveShare: 0 });
        return decideConsolidate({ ...seen, settings, takenAt: seen.takenAt + minute * MINUTE });
      });
      const [plan] = minutes;

      expect(plan?.kept.find(({ node }) => node === 'b')?.by).toBe('balanced');
      expect(
        minutes.flatMap(({ actions }) => told(actions)).filter((each) => /score/.test(each)),
      ).toEqual([]);
    });
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
