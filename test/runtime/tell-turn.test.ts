import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { clusterFigures } from '#lib/decide/cluster-figures.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { claimRef, podRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { METRICS } from '#lib/runtime/metric-names.ts';
import { tellTurn } from '#lib/runtime/tell-turn.ts';
import type { TurnReport } from '#lib/runtime/turn.ts';
import { settings } from '#test/build/aws-callers.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';
import { aTurn } from '#test/build/turns.ts';

const STORY = { name: 'provision', decide: decideProvision, measure: clusterFigures } as const;
const toDelete = (because: string): Action => ({
  kind: 'delete',
  object: claimRef(aNodeClaim()),
  because,
});
const toEvict: Action = {
  kind: 'evict',
  pod: podRef(aPod()),
  node: claimRef(aNodeClaim()),
  because: 'Drifted',
};
const [toCreate] = decideProvision(quietWorld({ pods: [aPod()] })).actions;

/** Everything that telling a turn says, and to whom. */
async function told(
  report: TurnReport,
  { eventBus, fails = false }: { readonly eventBus?: string; readonly fails?: boolean } = {},
) {
  const lines: string[] = [];
  const logged: unknown[] = [];
  const warned: string[] = [];
  const sent: { readonly Entries: readonly Readonly<Record<string, unknown>>[] }[] = [];
  const shell = {
    kube: () => Promise.reject(new Error('expected no call')),
    aws: typedCall(async (_name, input) => {
      if (fails) throw new Error('no such bus');
      sent.push({ Entries: Object(input).Entries });
      return {};
    }),
    now: () => NOON + 2_000,
    sleep: async () => undefined,
    events: createEventMemory(),
    settings: {
      cluster: settings,
      hintQueueUrl: 'https://queue',
      identity: 'me',
      ...(eventBus !== undefined && { eventBus }),
    },
    log: {
      info: (_text: string, fields?: unknown) => logged.push(fields),
      warn: (text: string) => warned.push(text),
      error: () => undefined,
    },
    writeMetrics: (line: string) => lines.push(line),
  };
  await tellTurn(shell, STORY, { kind: 'schedule' }, report);
  return { metrics: lines.map((line) => JSON.parse(line)), logged, warned, sent };
}

describe('the telling of a turn', () => {
  it('counts instances that EC2 finds ailing, by its kind of check', async () => {
    const instanceStatus = {
      askedAt: NOON,
      interruptions: [],
      newlyAiling: { SystemImpaired: 2, ScheduledEvent: 1 },
    };
    const { metrics } = await told(aTurn([], { instanceStatus }));

    expect(metrics.slice(1)).toMatchObject([
      { category: 'EventStatus', [METRICS.unhealthyInstances.name]: 1 },
      { category: 'SystemStatus', [METRICS.unhealthyInstances.name]: 2 },
    ]);
  });

  it('measures the cluster, the function and what was done, in few series', async () => {
    const nodes = [aStateNode()];
    const { metrics } = await told(aTurn([{ action: toEvict }], { nodes, pods: [aPod()] }));
    const [line] = metrics;

    expect(line).toMatchObject({
      cluster: settings.clusterName,
      function: 'provision',
      [METRICS.nodes.name]: 1,
      [METRICS.usdPerHour.name]: 0.1,
      [METRICS.pendingPods.name]: 1,
      [METRICS.podsEvicted.name]: 1,
      [METRICS.looks.name]: 1,
      [METRICS.turnDuration.name]: 2_000,
      [METRICS.decisionDuration.name]: 100,
    });
    const { _aws } = line;
    expect(_aws.CloudWatchMetrics).toMatchObject([
      { Namespace: 'Joinery', Dimensions: [['cluster']] },
      { Namespace: 'Joinery', Dimensions: [['cluster', 'function']] },
    ]);
    const names = _aws.CloudWatchMetrics.flatMap((each: { Metrics: { Name: string }[] }) =>
      each.Metrics.map(({ Name }) => Name),
    );
    expect(names.filter((name: string) => line[name] === undefined)).toEqual([]);
  });

  it('counts deletions by the reasons of upstream’s metric, and makes none of free text', async () => {
    const reasons = ['expired', 'expired', 'GarbageCollected', 'because I said so'];
    const { metrics } = await told(aTurn(reasons.map((each) => ({ action: toDelete(each) }))));

    expect(metrics.slice(1).map((line) => [line.reason, line.nodeclaims_disrupted_total])).toEqual([
      ['expired', 2],
      ['garbage_collected', 1],
      ['other', 1],
    ]);
  });

  it('measures nothing of a turn that did not look', async () => {
    const { metrics } = await told({ ...aTurn([]), result: 'held by another', rounds: [] });

    expect(metrics).toEqual([]);
  });

  it('logs counts, durations and cost in one line', async () => {
    const { logged } = await told(aTurn([{ action: toEvict }], { nodes: [aStateNode()] }));

    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({
      tookMs: { all: 2_000, look: 900, decide: 100, act: 1_000 },
      figures: { nodes: 1, usdPerHour: 0.1 },
      did: { evict: 1 },
    });
  });

  it('tells NodeClaims that are alike in one sentence, and stays short in a burst of a thousand nodes', async () => {
    const turn = aTurn([], { pods: [aPod()] });
    const [round] = turn.rounds;
    const [made] = round?.plan.nodeClaims ?? [];
    if (round === undefined || made === undefined) throw new Error('expected a NodeClaim');
    const pods = Array.from(
      { length: 200 },
      (_, at) => `default/a-rather-long-name-of-a-pod-${at}`,
    );
    const nodeClaims = Array.from({ length: 1_000 }, (_, at) => ({
      ...made,
      name: `default-${at}`,
      pods,
      usdPerHour: at < 990 ? 1 : at,
    }));
    const failed = Array.from({ length: 1_000 }, () => ({
      action: toDelete('expired'),
      result: 'retry' as const,
      because: 'the API server is busy',
    }));
    const { outcomes } = aTurn(failed).rounds[0] ?? { outcomes: [] };
    const rounds = [{ ...round, plan: { ...round.plan, nodeClaims }, outcomes }];
    const { logged } = await told({ ...turn, rounds });
    const [{ said, nodeClaimsCount, notDoneCount }] = logged as [Record<string, unknown>];

    expect([nodeClaimsCount, notDoneCount]).toEqual([1_000, 1_000]);
    expect(said).toContainEqual(
      expect.stringMatching(/^NodeClaim default-0 and 989 alike: m5.large/),
    );
    expect(said).toContain('and 5 other NodeClaims');
    expect(JSON.stringify(logged[0]).length).toBeLessThan(256_000);
  });

  it('puts every decision on a bus, ten with each call, where one is named', async () => {
    if (toCreate === undefined) throw new Error('expected a NodeClaim to create, found none');
    const outcomes = [
      { action: toCreate },
      ...Array.from({ length: 11 }, () => ({ action: toDelete('expired') })),
    ];
    const { sent } = await told(aTurn(outcomes, { pods: [aPod()] }), { eventBus: 'decisions' });

    expect(sent.map(({ Entries }) => Entries.length)).toEqual([10, 2]);
    expect(sent[0]?.Entries[0]).toMatchObject({
      EventBusName: 'decisions',
      Source: 'joinery',
      DetailType: 'NodeClaim Created',
      Time: NOON / 1_000,
    });
    expect(JSON.parse(String(sent[0]?.Entries[0]?.Detail))).toMatchObject({
      cluster: settings.clusterName,
      decidedBy: 'provision',
      nodePool: 'default',
      pods: ['default/web-1'],
    });
    expect((await told(aTurn(outcomes))).sent).toEqual([]);
  });

  it('is no reason for a turn to fail', async () => {
    const outcomes = [{ action: toDelete('expired') }];
    const { warned } = await told(aTurn(outcomes), { eventBus: 'gone', fails: true });

    expect(warned).toEqual(['not every decision was put on the event bus gone']);
  });
});
