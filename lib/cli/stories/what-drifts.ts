import { changeSpec, conditionReasons } from './disruption-sights.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
/** Drift looks every five minutes. */
const SEEN_WITHIN_MS = 6 * MINUTE_MS;

const CHANGES = [
  [
    'taints of the template',
    'NodePool',
    { template: { spec: { startupTaints: [{ key: 'example.com/warm', effect: 'NoSchedule' }] } } },
    'NodePoolDrifted',
    { template: { spec: { startupTaints: null } } },
  ],
  [
    'the image',
    'EC2NodeClass',
    { amiSelectorTerms: [{ alias: 'al2023@latest' }] },
    'AMIDrift',
    { amiSelectorTerms: [{ alias: 'al2023@v20261011' }] },
  ],
  [
    'metadata options',
    'EC2NodeClass',
    { metadataOptions: { httpPutResponseHopLimit: 2 } },
    'NodeClassDrift',
    { metadataOptions: null },
  ],
  ['tags', 'EC2NodeClass', { tags: { team: 'web' } }, 'NodeClassDrift', { tags: null }],
] as const;

/** Story 19: which changes make nodes drift, and which do not. */
export const whatDrifts: Story = {
  number: 19,
  name: 'what-drifts',
  title:
    'Changes of template, image and NodeClass mark nodes as drifted, with the reason; others not.',
  region: 'us-east-1',
  manifests: '19-what-drifts.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    stage.scale('web', 1);
    await stage.untilRunning('web', 1, 4 * MINUTE_MS);
    changeSpec(stage, 'NodePool', 'default', { weight: 10, limits: { cpu: '300' } });
    await stage.pass(SEEN_WITHIN_MS);
    const behavioural = [...reasons(stage)];
    stage.check(
      'weight and limits make nothing drift',
      behavioural.length === 0,
      behavioural.join(', ') || 'nothing drifted',
    );
    for (const [what, kind, change, reason, back] of CHANGES) {
      changeSpec(stage, kind, 'default', change);
      const isMarked = await stage.until(() => reasons(stage).has(reason), SEEN_WITHIN_MS);
      stage.check(`${what}: ${reason}`, isMarked, [...reasons(stage)].join(', ') || 'no mark');
      changeSpec(stage, kind, 'default', back);
      const isGone = await stage.until(() => reasons(stage).size === 0, SEEN_WITHIN_MS);
      stage.check(
        `${what} as before: the mark goes`,
        isGone,
        [...reasons(stage)].join(', ') || 'gone',
      );
    }
    stage.checkOneInstancePerNodeClaim();
  },
};

const reasons = (stage: Stage): ReadonlySet<string> =>
  new Set(conditionReasons(stage, 'Drifted').values());
