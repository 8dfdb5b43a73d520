import { describe, expect, it } from 'vitest';
import { ageOf, proposalOf, writeProposal } from '#lib/disruption/proposal.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';

const proposed = (value: string) =>
  proposalOf(aNodeClaim({ meta: { annotations: { 'joinery.dev/disruption': value } } }), 'Empty');
const proposal = { reason: 'Empty', proposedAt: NOON } as const;

describe('a proposal', () => {
  it('is read as it was written', () => {
    expect(writeProposal(proposal)).toBe(
      '{"v":1,"reason":"Empty","proposedAt":"2026-11-20T12:00:00Z"}',
    );
    expect(proposed(writeProposal(proposal))).toEqual(proposal);
  });

  it.each([
    'no JSON',
    'null',
    '[]',
    '{"v":2,"reason":"Empty","proposedAt":"2026-11-20T12:00:00Z"}',
    '{"v":1,"reason":"Drifted","proposedAt":"2026-11-20T12:00:00Z"}',
    '{"v":1,"reason":"Empty","proposedAt":"yesterday"}',
    '{"v":1,"reason":"Empty","proposedAt":5}',
  ])('is not guessed at: %s', (value) => {
    expect(proposed(value)).toBeUndefined();
  });

  it.each([
    ['must stand for 15 seconds', NOON + 14 * SECOND, { kind: 'fresh', ripeInMs: SECOND }],
    ['may then be acted on', NOON + 15 * SECOND, { kind: 'ripe' }],
    ['means nothing after five minutes', NOON + 5 * MINUTE + 1, { kind: 'stale' }],
    ['means nothing before it was made', NOON - 1, { kind: 'stale' }],
  ])('%s', (_what, now, expected) => {
    expect(ageOf(proposal, now)).toEqual(expected);
  });
});
