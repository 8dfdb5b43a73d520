import { describe, expect, it } from 'vitest';
import { heldBack, writeBackOff } from '#lib/disruption/commands/back-off.ts';
import { placesOf, writePlaces } from '#lib/disruption/commands/places.ts';
import { recordOf, writeRecord } from '#lib/disruption/commands/record.ts';
import { replacementsOf, writeReplacements } from '#lib/disruption/commands/replacements.ts';
import type { NewNodeClaim } from '#lib/model/node-claim.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { MINUTE, NOON } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';

const remembering = (key: string, value: string) =>
  aNodeClaim({ meta: { annotations: { [`joinery.dev/${key}`]: value } } });

const CLAIM: NewNodeClaim = {
  name: 'default-abcde',
  labels: { 'karpenter.sh/nodepool': 'default' },
  annotations: { 'joinery.dev/for-pods': 'a b' },
  owner: { kind: 'NodePool', name: 'default', uid: 'u' },
  spec: {
    taints: [{ key: 'gpu', value: '', effect: 'NoSchedule' }],
    startupTaints: [],
    requirements: [
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'], minValues: 1 },
      { key: 'example.com/team', operator: 'Exists' },
    ],
    requests: { cpu: 1500, pods: 2 },
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    expireAfter: 'Never',
    terminationGraceMs: 60_000,
  },
};

describe('what NodeClaims remember of commands', () => {
  it('is the record, as it was written', () => {
    const record = {
      id: 'c1',
      reason: 'Drifted' as const,
      members: ['a', 'b'],
      proposedAt: NOON,
      podsMoved: 3,
      savesUsdPerHour: 0.1,
      validated: { at: NOON + MINUTE, replacements: ['default-abcde'] },
      waitingSince: NOON + 2 * MINUTE,
    };

    expect(recordOf(remembering('disruption', writeRecord(record)))).toEqual(record);
  });

  it.each([
    '',
    'nonsense',
    '[]',
    '{"v":1,"reason":"Empty"}',
    '{"v":3,"id":"c","reason":"Empty","members":["a"],"proposedAt":"2026-11-20T12:00:00Z"}',
    '{"v":2,"id":"c","reason":"Bored","members":["a"],"proposedAt":"2026-11-20T12:00:00Z"}',
    '{"v":2,"id":"c","reason":"Empty","members":[],"proposedAt":"2026-11-20T12:00:00Z"}',
    '{"v":2,"id":"c","reason":"Empty","members":["a"],"proposedAt":"soon"}',
  ])('is nothing where it cannot be read: %s', (text) => {
    expect(recordOf(remembering('disruption', text))).toBeUndefined();
  });

  it('is every replacement in full', () => {
    const claim = remembering('replacements', writeReplacements([CLAIM]));

    expect(replacementsOf(claim)).toEqual([CLAIM]);
  });

  it.each([
    ['no list', '{"v":1,"claims":{}}'],
    ['a claim without a name', JSON.stringify({ v: 1, claims: [{ ...CLAIM, name: '' }] })],
    ['a spec that is none', JSON.stringify({ v: 1, claims: [{ ...CLAIM, spec: {} }] })],
    [
      'an operator that there is not',
      JSON.stringify({
        v: 1,
        claims: [
          { ...CLAIM, spec: { ...CLAIM.spec, requirements: [{ key: 'a', operator: 'Near' }] } },
        ],
      }),
    ],
    ['another version', JSON.stringify({ v: 2, claims: [CLAIM] })],
  ])('is no replacement where it holds %s', (_what, text) => {
    expect(replacementsOf(remembering('replacements', text))).toBeUndefined();
  });

  it('is where each pod is meant to go', () => {
    const [one, two] = ['web-1', 'web-2'].map((name) => aPod({ meta: { name, uid: name } }));
    if (!one || !two) throw new Error('expected two pods');
    const text = writePlaces(
      [
        { pod: two, host: 'node-b' },
        { pod: one, host: 'node-b' },
      ],
      (uid) => `digest-of-${uid}`,
    );

    expect([...placesOf(remembering('places', text))]).toEqual([
      ['digest-of-web-1', 'node-b'],
      ['digest-of-web-2', 'node-b'],
    ]);
    expect(placesOf(remembering('places', 'x')).size).toBe(0);
  });

  it('is until when its node is left alone, longer after each failure, an hour at most', () => {
    let claim = aNodeClaim();
    const rests: number[] = [];
    let now = NOON;
    for (let failure = 0; failure < 7; failure++) {
      const text = writeBackOff(claim, { because: 'it failed' }, now);
      claim = remembering('disruption-back-off', text);
      const until = Date.parse(JSON.parse(text).until);
      rests.push((until - now) / MINUTE);
      expect(heldBack(claim, until - 1)).toContain('it failed');
      expect(heldBack(claim, until)).toBeUndefined();
      now = until;
    }

    expect(rests).toEqual([2, 4, 8, 16, 32, 60, 60]);
  });

  it('is forgotten an hour after that has passed', () => {
    const before = remembering(
      'disruption-back-off',
      writeBackOff(aNodeClaim(), { because: 'no capacity', isFruitless: true }, NOON),
    );
    const later = writeBackOff(before, { because: 'again' }, NOON + 91 * MINUTE);

    expect(heldBack(before, NOON + 29 * MINUTE)).toContain('no capacity');
    expect(JSON.parse(later)).toMatchObject({ failures: 1 });
  });
});
