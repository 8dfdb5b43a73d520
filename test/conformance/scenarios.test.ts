import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { place } from '#lib/decide/place.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { parseInstant } from '#lib/model/time.ts';
import { unsoundness } from './soundness.ts';

/** What Karpenter v1.14 did with the same cluster. */
interface Expected {
  readonly now: string;
  readonly catalog: string;
  readonly karpenter: {
    readonly placed: readonly string[];
    readonly refused: readonly string[];
    readonly usdPerHour: number;
  };
}

const ROOT = 'test/scenarios/provision';
const read = (path: string): Buffer => readFileSync(`${ROOT}/${path}`);
const json = (bytes: Buffer) => JSON.parse(bytes.toString('utf8'));
const expectedOf = (scenario: string): Expected => json(read(`${scenario}/expected.json`));

/** The Snapshot of a scenario, its objects in the order that `arrange` gives them. */
function snapshotOf(scenario: string, arrange = (objects: unknown[]) => objects): Snapshot {
  const { now, catalog } = expectedOf(scenario);
  const { items } = json(read(`${scenario}/objects.json`));
  const instant = parseInstant(now);
  const made = snapshotOfFiles(
    arrange(items).map((object) => ({
      file: 'objects.json',
      document: 1,
      object: object as Record<string, unknown>,
    })),
    {
      catalog: decodeCatalog(json(gunzipSync(read(`${catalog}.json.gz`)))),
      ...(instant !== undefined && { now: instant }),
    },
  );
  if ('problems' in made) throw new Error(JSON.stringify(made.problems));
  return made.snapshot;
}

const scenarios = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe.each(scenarios)('the scenario %s', (scenario) => {
  const snapshot = snapshotOf(scenario);
  const placing = place(snapshot);
  const { karpenter } = expectedOf(scenario);

  it('is planned soundly', () => {
    expect(unsoundness(snapshot, placing)).toEqual([]);
  });

  it('places every pod that Karpenter places, for no more', () => {
    const refused = placing.refused.map(({ pod }) => pod);

    expect(karpenter.placed.filter((pod) => refused.includes(pod))).toEqual([]);
    expect(placing.usdPerHour).toBeLessThanOrEqual(karpenter.usdPerHour + 1e-9);
  });

  it('is planned to the same bytes in whatever order its objects stand', () => {
    const reversed = snapshotOf(scenario, (objects) => objects.toReversed());

    expect(JSON.stringify(place(reversed))).toBe(JSON.stringify(placing));
  });
});
