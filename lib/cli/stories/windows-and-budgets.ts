import { goingNodes, usdOf, watch } from './disruption-sights.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;
/** 13:45 in Berlin, on the Friday on which stories begin. */
const OPENS = Date.UTC(2026, 10, 20, 12, 45);
/** When the budget of zero ends. */
const BUDGET_ENDS = Date.UTC(2026, 10, 20, 12, 20);

/** Story 16: budgets and windows keep the hours. */
export const windowsAndBudgets: Story = {
  number: 16,
  name: 'windows-and-budgets',
  title: 'Nothing that holds pods moves before the window opens at 13:45 in Berlin; then it does.',
  region: 'us-east-1',
  manifests: '16-windows-and-budgets.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    stage.scale('padding', 2);
    stage.scale('web', 2);
    await stage.untilAllRun(4 * MINUTE_MS);
    const before = usdOf(stage);
    const first = stage.nodes().length;
    stage.scale('padding', 0);

    let early = 0;
    const isBudgetOver = () => stage.now() >= BUDGET_ENDS;
    await watch(stage, isBudgetOver, 30 * MINUTE_MS, () => {
      early += goingNodes(stage).length;
    });
    stage.check(
      'nothing goes while the budget is 0, empty nodes included',
      early === 0,
      `${early}`,
    );
    let closed = 0;
    const isOpen = () => stage.now() >= OPENS;
    await watch(stage, isOpen, 40 * MINUTE_MS, () => {
      const going = new Set(goingNodes(stage));
      closed += stage.nodes().filter(({ name, pods }) => going.has(name) && pods.length > 0).length;
    });
    stage.check('no node with pods goes before the window opens', closed === 0, `${closed}`);
    const isCheaper = () => usdOf(stage) <= before / 2 + 0.001;
    await watch(stage, isCheaper, 15 * MINUTE_MS, () => undefined);
    stage.check(
      'within the window they do',
      isCheaper(),
      `${first} nodes for $${before.toFixed(3)}/h before, $${usdOf(stage).toFixed(3)}/h after`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
