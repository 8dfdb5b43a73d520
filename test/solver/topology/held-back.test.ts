import { describe, expect, it } from 'vitest';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec, taint } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import type { Difference } from '#test/build/objects.ts';
import { appPods, placed } from '#test/build/placing.ts';
import { apart, aSpread, aTerm, labelled, near, ZONE_KEY } from '#test/build/topology.ts';

/** What is said of the first pod that gets no node. */
const refusalOf = (pods: readonly Pod[], difference: Partial<Snapshot> = {}) =>
  placed({ catalog: aCatalog([anInstanceType()]), pods, ...difference }).refused[0];

const ghosts = (difference: Partial<ReturnType<typeof aTerm>> = {}) =>
  aTerm({ topologyKey: ZONE_KEY, selector: labelled({ app: 'ghost' }), ...difference });

const nearGhosts = near(ghosts());
const spread = (difference: Parameters<typeof aSpread>[0] = {}): Difference<Pod> => ({
  topologySpread: [aSpread(difference)],
});
/** A NodePool that makes nodes everywhere, but not for these pods. */
const GUARDED = aNodePool({
  meta: { name: 'guarded' },
  weight: 5,
  template: { taints: [taint('team=x:NoSchedule')] },
});

describe('what pods are told that rules over domains hold back', () => {
  it('names the pods that an affinity looks for in vain', () => {
    expect(refusalOf(appPods('web', 1, nearGhosts))?.because).toBe(
      `its required pod affinity finds no pods with app=ghost in any ${ZONE_KEY} where it could be`,
    );
  });

  it('names the namespaces where they are looked for, unless it is the pod’s own', () => {
    const inFar = near(ghosts({ namespaces: ['far', 'away'] }));
    const anywhere = near(ghosts({ namespaceSelector: labelled({}) }));
    const own = near(ghosts({ namespaces: ['default'] }));

    expect(refusalOf(appPods('web', 1, inFar))?.because).toContain('in namespace away or far in');
    expect(refusalOf(appPods('web', 1, anywhere))?.because).toContain('in any namespace in');
    expect(refusalOf(appPods('web', 1, own))?.because).toContain('app=ghost in any topology');
  });

  it('tells apart who keeps away from whom', () => {
    const pinned = { nodeSelector: { [ZONE_KEY]: 'us-east-1a' } };
    const shy = { ...pinned, ...apart(aTerm({ topologyKey: ZONE_KEY })) };

    expect(refusalOf(appPods('web', 2, shy))?.because).toBe(
      `its required pod anti-affinity keeps it away from pods with app=web, and they are in every ${ZONE_KEY} where it could be`,
    );
    expect(refusalOf([...appPods('shy', 1, shy), ...appPods('web', 1, pinned)])).toMatchObject({
      pod: 'default/web-1',
      because: `pods whose required pod anti-affinity keeps pods with app=web away are in every ${ZONE_KEY} where it could be`,
    });
  });

  it('names the skew and the domains that a full spread wants', () => {
    const pods = appPods('web', 4, spread({ minDomains: 5 }));

    expect(refusalOf(pods)?.because).toBe(
      `its topology spread over ${ZONE_KEY} (pods with app=web, maxSkew 1, minDomains 5) has no room for one more in any domain`,
    );
  });

  it('names the domains that are left, and what is missing there', () => {
    const soldOut = ['us-east-1c/on-demand', 'us-east-1c/spot'];
    const refused = refusalOf(appPods('web', 4, spread()), {
      catalog: aCatalog([anInstanceType('m5.large', { soldOut })]),
    });

    expect(refused?.by).toBe('offerings');
    expect(refused?.because).toContain(
      `its topology spread over ${ZONE_KEY} leaves only us-east-1c; there, `,
    );
  });

  it('says of the NodePool that it makes no node in the domains that are left', () => {
    const pods = appPods('web', 3, apart(aTerm({ topologyKey: ZONE_KEY })));
    const narrow = aNodePool({
      template: { requirements: [spec(`${ZONE_KEY} In us-east-1a us-east-1b`)] },
    });

    expect(refusalOf(pods, { nodePools: [narrow, GUARDED] })?.nodePools).toMatchObject([
      { nodePool: 'guarded', by: 'taints' },
      {
        by: 'topology',
        because: `its pod anti-affinity over ${ZONE_KEY} leaves only us-east-1c, where the pool makes no node for it`,
      },
    ]);
  });

  it('says of each NodePool the first thing that is in the way, rules last', () => {
    const refused = refusalOf(appPods('web', 1, nearGhosts), {
      nodePools: [aNodePool(), GUARDED],
    });

    expect(refused).toMatchObject({
      by: 'topology',
      nodePools: [
        { nodePool: 'guarded', by: 'taints' },
        { nodePool: 'default', by: 'topology' },
      ],
    });
  });

  it('does not speak of rules to pods that they let in everywhere', () => {
    const refused = refusalOf([
      ...appPods('web', 1, { requests: { cpu: 900_000 } }),
      ...appPods('shy', 1, apart(aTerm({ topologyKey: 'rack' }))),
    ]);

    expect(refused?.by).toBe('resources');
    expect(refused?.because).not.toMatch(/topology|rack/);
  });

  it('names no NodePool where there is none', () => {
    const refused = refusalOf(appPods('web', 1, spread()), { nodePools: [] });

    expect(refused?.by).toBe('topology');
    expect(refused?.nodePools).toEqual([]);
  });
});
