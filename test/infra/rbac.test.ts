import { describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { REPERTOIRE } from '#lib/cli/stories/repertoire.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import { rightsIn } from '../e2e/stack/rights.ts';

/** Nobody is granted these: the namespace is installed, and everyone may ask for the version. */
const NEED_NO_RIGHT = ['get /version'];
/** Few enough to be played here; test/e2e/cluster/rbac.e2e.ts asks a real API server. */
const PLAYED = [1, 22];

describe('the rights that infra/cluster grants', () => {
  it.each(PLAYED)('cover every call of story %i', async (number) => {
    const story = REPERTOIRE.find((each) => each.number === number);
    if (story === undefined) throw new Error(`expected story ${number} in the repertoire`);
    const stage = setStage({ seed: 1, region: story.region, manifests: manifestsOf(story) });
    await story.play(stage);
    const granted = new Set(
      rightsIn('rbac.yaml').map(({ verb, resource }) => `${verb} ${resource}`),
    );
    const asked = Object.keys(stage.calls()).filter((name) => name.includes(' '));

    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((name) => !granted.has(name) && !NEED_NO_RIGHT.includes(name))).toEqual([]);
  });

  it('grant nothing on everything, nothing twice, and no secrets', () => {
    const rights = [...rightsIn('rbac.yaml'), ...rightsIn('bind/rbac.yaml')];
    const onNodes = rights.filter(({ resource }) => resource === 'secrets' || resource === '*');

    expect(rights.filter(({ verb, group }) => verb === '*' || group === '*')).toEqual([]);
    expect(onNodes).toEqual([]);
  });
});
