import { counted } from './counted.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 6;
const MORE_PODS = 12;
/** Longer than a shift may go unnoticed. */
const NOTICED_MS = 2 * MINUTE_MS;

/** Story 31: traffic is shifted out of a zone. */
export const zonalShift: Story = {
  number: 31,
  name: 'zonal-shift',
  title: 'Traffic is shifted out of a zone: no new nodes there while it lasts, the others stay.',
  region: 'us-east-1',
  manifests: '31-zonal-shift.yaml',
  settings: { zonalShiftArn: 'arn:aws:eks:us-east-1:111122223333:cluster/demo' },
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();
    const before = stage.nodes();
    const [{ zone } = { zone: '' }] = before;
    const shift = stage.announcer?.shiftAway(zone);
    await stage.pass(NOTICED_MS);
    stage.scale('web', MORE_PODS);
    await stage.untilRunning('web', MORE_PODS, 5 * MINUTE_MS);
    const known = new Set(before.map(({ name }) => name));
    const fresh = stage.nodes().filter(({ name }) => !known.has(name));
    stage.check(
      `no new node comes to ${zone}`,
      fresh.length > 0 && fresh.every((node) => node.zone !== zone),
      fresh.map((node) => node.zone).join(', '),
    );
    const kept = stage.nodes().filter(({ name }) => known.has(name)).length;
    stage.check('the nodes that are there stay', kept === before.length, counted(kept, 'node'));
    shift?.end();
    stage.checkOneInstancePerNodeClaim();
  },
};
