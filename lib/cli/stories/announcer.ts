import type { World } from '#lib/sim/world.ts';
import type { Announcer } from './story.ts';

/** What is announced in the embedded world. */
export function announcerIn(world: World): Announcer {
  const instanceOf = (node: string): string => {
    const { spec } = Object(world.kubernetes.get('Node', '', node));
    return String(Object(spec).providerID).split('/').at(-1) ?? '';
  };
  return {
    takeBack: (nodes) => {
      for (const node of nodes) world.aws.reclaim(instanceOf(node));
    },
    recommendRebalance: (node) => world.aws.recommendRebalance(instanceOf(node)),
    scheduleWork: (node, startsInMs, statusCode) =>
      world.aws.announce({
        source: 'aws.health',
        'detail-type': 'AWS Health Event',
        detail: {
          service: 'EC2',
          eventTypeCategory: 'scheduledChange',
          eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
          statusCode,
          startTime: new Date(world.clock.now() + startsInMs).toUTCString(),
          affectedEntities: [{ entityValue: instanceOf(node) }],
        },
      }),
    warnOf: (instanceId) =>
      world.aws.announce({
        source: 'aws.ec2',
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': instanceId, 'instance-action': 'terminate' },
      }),
    babble: (text) => void world.queues.interruptions.send(text),
    instances: () =>
      world.aws.machines().flatMap(({ id, state }) => (state === 'running' ? [id] : [])),
    putAside: () => world.queues.deadInterruptions.depth().visible,
    shiftAway: (zone) => world.aws.shiftAway({ zone }),
  };
}
