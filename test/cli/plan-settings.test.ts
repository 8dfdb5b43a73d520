import { describe, expect, it } from 'vitest';
import { settingMisuse, settingsOf } from '#lib/cli/plan-settings.ts';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { aCluster, aMember, mover } from '#test/build/members.ts';
import { someSettings } from '#test/build/snapshots.ts';

const nodes = ['a', 'b'].map((name) => aMember(name, { pods: [mover(`on-${name}`, 100)] }));
const planUnder = (given: Parameters<typeof settingsOf>[0]) =>
  decideConsolidate(aCluster(nodes, { settings: someSettings(settingsOf(given)) }));

describe('settings on the command line', () => {
  it('are none where nothing is said', () => {
    expect(settingsOf({})).toEqual({ featureGates: [] });
  });

  it('are none where the environment says them with nothing in them', () => {
    const empty = { featureGates: '', disruptionWindows: '', consolidationMoveShare: '' };
    expect(settingMisuse(empty)).toBeUndefined();
    expect(settingsOf(empty)).toEqual({ featureGates: [] });
  });

  it('show what windows of the whole cluster would do', () => {
    const disruptionWindows = '- { schedule: "0 2 * * *", duration: 1h, timeZone: Europe/Berlin }';

    expect(planUnder({}).commands).toHaveLength(1);
    expect(planUnder({ disruptionWindows }).kept[0]?.because).toBe(
      'outside the disruption windows of the cluster: 0 2 * * * for 1h (Europe/Berlin)',
    );
  });

  it('show what the price of a move does', () => {
    expect(planUnder({ consolidationMoveShare: '100' }).kept[0]?.because).toContain('has to bring');
  });
});
