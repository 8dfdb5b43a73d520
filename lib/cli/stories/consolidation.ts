import { counted } from './counted.ts';
import { usdOf, watch } from './disruption-sights.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;
/** m5.xlarge and m5.large of us-east-1. */
const CHEAPEST_USD = 0.192 + 0.096;

/** Story 15: what is half empty becomes fewer and cheaper nodes. */
export const consolidation: Story = {
  number: 15,
  name: 'consolidation',
  title: 'Three m5.xlarge are half empty: one goes, one becomes an m5.large, replacement first.',
  region: 'us-east-1',
  manifests: '15-consolidation.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    for (const [app, pods] of [
      ['big', 1],
      ['padding', 2],
      ['small', 2],
    ] as const) {
      stage.scale(app, pods);
    }
    await stage.untilAllRun(4 * MINUTE_MS);
    const before = usdOf(stage);
    stage.markPeak();
    stage.check('three nodes are needed at first', stage.nodes().length === 3, shape(stage));

    stage.scale('padding', 0);
    let longestWaitMs = 0;
    const waits = new Map<string, number>();
    const isCheap = () => stage.nodes().length === 2 && usdOf(stage) < CHEAPEST_USD + 0.001;
    await watch(stage, isCheap, 20 * MINUTE_MS, (ms) => {
      for (const { name, node } of [...stage.pods('big'), ...stage.pods('small')]) {
        const waited = node === undefined ? (waits.get(name) ?? 0) + ms : 0;
        waits.set(name, waited);
        longestWaitMs = Math.max(longestWaitMs, waited);
      }
    });
    stage.check('two nodes are left, at the least they can cost', isCheap(), shape(stage));
    stage.check(
      'no pod waited for a node: what replaces one was ready before it was emptied',
      longestWaitMs <= 5_000,
      `${longestWaitMs / 1000} s at most`,
    );
    stage.check(
      'it saves half',
      usdOf(stage) <= before / 2 + 0.001,
      `$${before.toFixed(3)}/h before, $${usdOf(stage).toFixed(3)}/h after`,
    );
    await stage.untilRunning('small', 2, MINUTE_MS);
    stage.checkOneInstancePerNodeClaim();
  },
};

const shape = (stage: Parameters<Story['play']>[0]): string => {
  const nodes = stage.nodes();
  return `${counted(nodes.length, 'node')}: ${nodes.map(({ instanceType }) => instanceType).join(', ')}`;
};
