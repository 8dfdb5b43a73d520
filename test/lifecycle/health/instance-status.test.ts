import { describe, expect, it } from 'vitest';
import { instanceStatusStep } from '#lib/lifecycle/health/instance-status.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { HOUR, NOON } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const NOTE = 'joinery.dev/maintenance-at';
const IN_DAYS = { startsAt: NOON + 48 * HOUR };
const NOTED = '2026-11-22T12:00:00Z';

/** What is done about a NodeClaim of whose instance EC2 says this. */
function doneAbout(
  said: Partial<Interruption> & Pick<Interruption, 'kind'>,
  meta: NonNullable<Parameters<typeof aNodeClaim>[0]>['meta'] = {},
  shiftedZones: readonly string[] = [],
) {
  const claim = aNodeClaim({ meta, status: { providerId: 'aws:///us-east-1a/i-1' } });
  const interruption = { instanceId: 'i-1', announcedAt: NOON, ...said };
  const snapshot = aSnapshot({
    nodes: [anInFlightNode(claim)],
    instanceStatus: { askedAt: NOON, interruptions: [interruption], newlyAiling: {} },
    shiftedZones,
  });
  const { actions = [], meta: change } = instanceStatusStep(claim, surroundingsOf(snapshot));
  return {
    kinds: actions.map(({ kind }) => kind),
    notes: actions.flatMap((each) =>
      each.kind === 'update' ? [each.meta.annotations?.[NOTE]] : [],
    ),
    change,
  };
}

describe('what EC2 says of an instance', () => {
  it('ends the grace of a NodeClaim that is going already, once', () => {
    const deadline = 'karpenter.sh/nodeclaim-termination-timestamp';
    const going = { deletedAt: NOON - HOUR };

    expect(doneAbout({ kind: 'SystemImpaired' }, going).change).toEqual({
      annotations: { [deadline]: '2026-11-20T12:00:00Z' },
    });
    expect(doneAbout({ kind: 'ScheduledEvent' }, going).change).toBeUndefined();
    const dated = { ...going, annotations: { [deadline]: '2026-11-20T13:00:00Z' } };
    expect(doneAbout({ kind: 'SystemImpaired' }, dated).change).toBeUndefined();
  });

  it('is noted and told once where work begins in days', () => {
    const work = { kind: 'ScheduledEvent', ...IN_DAYS } as const;

    expect(doneAbout(work)).toMatchObject({ notes: [NOTED], kinds: ['update', 'recordEvent'] });
    expect(doneAbout(work, { annotations: { [NOTE]: NOTED } }).kinds).toEqual([]);
  });

  it('takes a note away where that work is over, and not where other work is', () => {
    const over = { kind: 'ScheduledChangeOver', ...IN_DAYS } as const;

    expect(doneAbout(over, { annotations: { [NOTE]: NOTED } }).notes).toEqual([null]);
    expect(doneAbout(over, { annotations: { [NOTE]: '2026-11-23T12:00:00Z' } }).kinds).toEqual([]);
    expect(doneAbout(over).kinds).toEqual([]);
  });

  it('is not believed of a zone that traffic is shifted away from', () => {
    expect(doneAbout({ kind: 'SystemImpaired' }).kinds).toContain('delete');
    expect(doneAbout({ kind: 'SystemImpaired' }, {}, ['use1-az1']).kinds).toEqual([]);
  });
});
