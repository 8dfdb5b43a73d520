import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { crdTexts } from '#lib/cli/crds.ts';
import { connectEmbedded } from '#lib/cli/embedded.ts';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { machineTypes } from '#lib/cli/stories/machine-types.ts';
import { createWorld, type World } from '#lib/sim/world.ts';

type Wire = Readonly<Record<string, unknown>>;

/** When the world of `anUnbegunWorld` begins. */
export const BEGINNING = Date.UTC(2026, 10, 20, 12);

/** Story 1's world with nothing in it yet; `begin` applies its manifests, changed by `change`. */
export function anUnbegunWorld({
  change = (object: Wire) => object,
  connect = connectEmbedded,
}: {
  readonly change?: (object: Wire) => Wire;
  readonly connect?: typeof connectEmbedded;
} = {}): { readonly world: World; readonly begin: () => void } {
  const table = embeddedTable('us-east-1');
  if (!table) throw new Error('expected the table of us-east-1, found none');
  const world = createWorld({
    seed: 1,
    start: BEGINNING,
    region: 'us-east-1',
    types: machineTypes(table),
    crds: crdTexts(),
    clusterName: 'demo',
    connect,
  });
  return {
    world,
    begin: () => world.apply(manifestsOf(inflate).map(({ object }) => change(object))),
  };
}
