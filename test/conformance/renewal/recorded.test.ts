import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { renewals } from '#lib/decide/commands/renewals.ts';
import { place } from '#lib/decide/place.ts';
import { nominatedNodes } from '#lib/decide/placement-events.ts';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { parseInstant } from '#lib/model/time.ts';
import { carriedOut } from '#test/build/carried-out.ts';
import { usdOf } from '#test/build/followed.ts';

/** A cluster in which nodes have drifted, and where Karpenter v1.14 left it. */
interface Recorded {
  readonly now: string;
  readonly objects: readonly Record<string, unknown>[];
  readonly karpenter: {
    readonly removed: readonly string[];
    readonly podsMoved: number;
    readonly usdPerHour: number;
    readonly nodes: number;
  };
}

const read = (path: string) =>
  JSON.parse(gunzipSync(readFileSync(`test/scenarios/${path}.json.gz`)).toString('utf8'));
const catalog = decodeCatalog(read('provision/catalogs/us-east-1'));
const recorded: Readonly<Record<string, Recorded>> = read('drift/recorded');

function snapshotOf({ now, objects }: Recorded): Snapshot {
  const documents = objects.map((object) => ({ file: 'objects.json', document: 1, object }));
  const made = snapshotOfFiles(documents, { catalog, now: parseInstant(now) ?? 0 });
  if ('problems' in made) throw new Error(JSON.stringify(made.problems));
  return made.snapshot;
}

function renewalsOf(snapshot: Snapshot) {
  const inFlight = inFlightOf(snapshot);
  const facts = {
    snapshot,
    nominated: nominatedNodes(place(snapshot)),
    inFlight,
    toPlace: podsToPlace(snapshot),
  };
  return renewals(facts, openLedger({ snapshot, inFlight: inFlight.members }));
}

const MOST_ROUNDS = 30;

/** Carries out round after round until nothing is left that may go. */
function renewed(start: Snapshot) {
  let snapshot = start;
  const removed: string[] = [];
  let podsMoved = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { drafts } = renewalsOf(snapshot);
    if (drafts.length === 0) break;
    removed.push(...drafts.flatMap(({ members }) => members.map(({ state }) => state.name)));
    podsMoved += drafts.reduce((sum, draft) => sum + draft.podsMoved, 0);
    snapshot = carriedOut(snapshot, drafts, round);
  }
  return { snapshot, removed: removed.sort(), podsMoved };
}

describe('drifted nodes of recorded clusters', () => {
  it.each(Object.entries(recorded))(
    '%s: the same nodes go as with Karpenter, for no more money and moves',
    (_name, cluster) => {
      const { snapshot, removed, podsMoved } = renewed(snapshotOf(cluster));

      const gone = new Set(removed);
      const { removed: theirs } = cluster.karpenter;
      const { blocked } = renewalsOf(snapshot);
      const isPromised = (node: string) => blocked.get(node)?.by === 'nominated';
      expect(removed.filter((node) => !theirs.includes(node))).toEqual([]);
      // Nobody binds pods here, so that what is promised to one stays promised.
      const others = theirs.filter((node) => !gone.has(node) && !isPromised(node));
      const promised = snapshot.nodes.filter(
        ({ name }) => theirs.includes(name) && isPromised(name),
      );
      const usd = usdOf(snapshot) - usdOf({ ...snapshot, nodes: promised });
      expect(others).toEqual([]);
      expect(podsMoved).toBeLessThanOrEqual(cluster.karpenter.podsMoved * 1.05);
      expect(usd).toBeLessThanOrEqual(cluster.karpenter.usdPerHour * 1.02);
    },
  );
});
