import { counted } from './counted.ts';
import type { SoldOutPool, Stage, Story } from './story.ts';

/** For how long nobody tries again what EC2 had none of. Source: karpenter AWS provider v1.14, cache, UnavailableOfferingsTTL. */
const REMEMBERED_MS = 180_000;
/** One for what was hoped for, one for what there was instead, and room for a second plan. */
const FEW_FLEETS = 6;

/** Story 12: EC2 has no spot in one zone, then in none, then again. */
export const soldOut: Story = {
  number: 12,
  name: 'sold-out',
  title:
    'Spot is sold out in a zone, then everywhere: another zone, then on-demand; later spot again.',
  region: 'us-east-1',
  manifests: '12-sold-out.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    const first = await newNodes(stage, 2);
    const [zone = ''] = first.map((node) => node.zone);
    stage.check('at first spot is bought', boughtAs(first) === 'spot', boughtAs(first));

    stage.sellOut([spotIn(zone)]);
    const second = await newNodes(stage, 6);
    stage.check(
      `with none left in ${zone}, spot is bought in another zone`,
      boughtAs(second) === 'spot' && second.every((node) => node.zone !== zone),
      second.map((node) => `${node.capacityType} in ${node.zone}`).join(', '),
    );

    stage.sellOut([spotIn('*')]);
    const before = fleets(stage);
    const third = await newNodes(stage, 10);
    stage.check(
      'with none left anywhere, on-demand is',
      boughtAs(third) === 'on-demand',
      boughtAs(third),
    );
    const asked = fleets(stage) - before;
    stage.check(
      'and no storm of launches',
      asked <= FEW_FLEETS,
      counted(asked, 'CreateFleet call'),
    );

    stage.sellOut([]);
    stage.markPeak();
    await stage.pass(REMEMBERED_MS + 10_000);
    const fourth = await newNodes(stage, 14);
    stage.check(
      'when it is back, spot is bought again',
      boughtAs(fourth) === 'spot',
      boughtAs(fourth),
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

const spotIn = (zone: string): SoldOutPool => ({ capacityType: 'spot', type: '*', zone });

const fleets = (stage: Stage): number => stage.calls().CreateFleet ?? 0;

/** For how long a turn may still be at work after its last pod runs. */
const COMING_TO_REST_MS = 5_000;

/**
 * The nodes that come when the workload is scaled to so many pods. It begins at rest: pods that come
 * amid a turn can be planned for one by one, which makes more calls than are counted here.
 */
async function newNodes(stage: Stage, pods: number) {
  await stage.pass(COMING_TO_REST_MS);
  const before = new Set(stage.nodes().map(({ name }) => name));
  stage.scale('worker', pods);
  await stage.untilRunning('worker', pods, 180_000);
  return stage.nodes().filter(({ name }) => !before.has(name));
}

const boughtAs = (nodes: readonly { readonly capacityType: string }[]): string =>
  [...new Set(nodes.map(({ capacityType }) => capacityType))].sort().join(' and ') || 'no node';
