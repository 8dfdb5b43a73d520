import { setTimeout as delay } from 'node:timers/promises';
import type { Announcer, Harm } from '#lib/cli/stories/story.ts';
import { pathOf } from '#lib/kube/kinds.ts';
import type { KubeObject } from './cluster-client.ts';
import { postEvent } from './post-event.ts';
import type { RealWorld } from './real-world.ts';

/** Source: EC2 User Guide, Spot Instance interruption notices. */
const NOTICE_MS = 120_000;

/** What stood there when the last wait ended. */
interface Seen {
  readonly objects: { readonly Node: readonly KubeObject[] };
  readonly instances: readonly string[];
}

/**
 * What EC2 and AWS Health do to machines and say of them, brought to Joinery's door as EventBridge
 * would. Each is done in the order of the story's other deeds.
 */
export function weatherIn(
  world: RealWorld,
  does: (deed: () => Promise<unknown>) => void,
  seen: () => Seen,
): { readonly harm: Harm; readonly announcer: Announcer } {
  const { account, cluster, joinery } = world;
  const instanceOf = (node: string): string => {
    const found = seen().objects.Node.find(({ metadata }) => metadata.name === node);
    return String(found?.spec.providerID).split('/').at(-1) ?? '';
  };
  const announce = (source: string, detailType: string, detail: object): void => {
    const time = new Date().toISOString();
    const event = { version: '0', source, 'detail-type': detailType, time, detail };
    does(() => postEvent(world, event));
  };
  const warnOf = (instanceId: string): void =>
    announce('aws.ec2', 'EC2 Spot Instance Interruption Warning', {
      'instance-id': instanceId,
      'instance-action': 'terminate',
    });
  return {
    harm: {
      endInstance: (node) => {
        const instance = instanceOf(node);
        does(() => account.terminate(instance));
      },
      silenceKubelet: (node) => does(() => silence(cluster, node)),
    },
    announcer: {
      warnOf,
      takeBack: (nodes) => {
        for (const instance of nodes.map(instanceOf)) {
          warnOf(instance);
          // Whoever has drained it by then has ended it, too.
          void delay(NOTICE_MS, undefined, { ref: false })
            .then(() => account.terminate(instance))
            .catch(() => undefined);
        }
      },
      recommendRebalance: (node) =>
        announce('aws.ec2', 'EC2 Instance Rebalance Recommendation', {
          'instance-id': instanceOf(node),
        }),
      scheduleWork: (node, startsInMs, statusCode) =>
        announce('aws.health', 'AWS Health Event', {
          service: 'EC2',
          eventTypeCategory: 'scheduledChange',
          eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
          statusCode,
          startTime: new Date(Date.now() + startsInMs).toUTCString(),
          affectedEntities: [{ entityValue: instanceOf(node) }],
        }),
      babble: (text) => does(() => postEvent(world, text)),
      instances: () => seen().instances,
      putAside: () =>
        joinery().lines.filter(({ message }) => message.startsWith('interruptions: given up'))
          .length,
      shiftAway: () => {
        throw new Error('there is no ARC beside this cluster that could shift traffic');
      },
    },
  };
}

/** A kubelet that says nothing any more: the node lifecycle controller finds out after 40 s. */
async function silence({ patch }: RealWorld['cluster'], node: string): Promise<void> {
  const annotations = { 'kwok.x-k8s.io/node': null };
  await patch(pathOf('Node', { name: node }), { metadata: { annotations } });
}
