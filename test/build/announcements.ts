import { createEventMemory } from '#lib/kube/event-memory.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { NOON } from './objects.ts';
import { recordingCall } from './recording-call.ts';
import { someSettings } from './snapshots.ts';

/** The body of a queue message, as EventBridge writes it. */
export const anAnnouncement = (
  detailType: string,
  detail: Readonly<Record<string, unknown>>,
  source = 'aws.ec2',
): string =>
  JSON.stringify({
    version: '0',
    source,
    'detail-type': detailType,
    time: '2026-11-20T12:00:00Z',
    detail,
  });

/** A spot warning of an instance. */
export const aWarningOf = (instanceId: string): string =>
  anAnnouncement('EC2 Spot Instance Interruption Warning', {
    'instance-id': instanceId,
    'instance-action': 'terminate',
  });

/** That an instance came into a state. */
export const aChangeTo = (state: string, instanceId: string): string =>
  anAnnouncement('EC2 Instance State-change Notification', { 'instance-id': instanceId, state });

/** The instances of a cluster named `demo`, and of others. */
export interface Neighbourhood {
  /** NodeClaims hold them. */
  readonly held?: readonly string[];
  /** NodeClaims that are being deleted hold them. */
  readonly going?: readonly string[];
  /** They carry the cluster's tags. */
  readonly joining?: readonly string[];
  /** They carry another cluster's tags. */
  readonly foreign?: readonly string[];
}

/** A shell that sees NodeClaims and instances and nothing else; and what it said and asked. */
export function announcementBench(there: Neighbourhood) {
  const { held = [], going = [], joining = [], foreign = [] } = there;
  const warnings: string[] = [];
  const described = (id: string, cluster: string) => ({
    InstanceId: id,
    State: { Name: 'running' },
    Tags: [
      { Key: 'eks:eks-cluster-name', Value: cluster },
      { Key: 'karpenter.sh/nodepool', Value: 'default' },
    ],
  });
  const { call, asked } = recordingCall({
    DescribeInstances: ({ Filters = [] }) => {
      const ids = Filters.flatMap(({ Values = [] }) => Values);
      const known = [
        ...joining.map((id) => described(id, 'demo')),
        ...foreign.map((id) => described(id, 'other')),
      ];
      return {
        Reservations: [{ Instances: known.filter(({ InstanceId }) => ids.includes(InstanceId)) }],
      };
    },
  });
  const kube: KubeTransport = async ({ path }) => {
    if (!path.endsWith('/nodeclaims'))
      throw new Error(`expected a list of NodeClaims, found ${path}`);
    const items = [...held, ...going].map((id) => ({
      metadata: going.includes(id) ? { deletionTimestamp: '2026-11-20T11:59:00Z' } : {},
      status: { providerID: `aws:///us-east-1a/${id}` },
    }));
    return { status: 200, body: { metadata: { resourceVersion: '7' }, items: [...items, {}] } };
  };
  const shell: Shell = {
    kube,
    aws: call,
    now: () => NOON,
    sleep: async () => undefined,
    events: createEventMemory(),
    settings: {
      cluster: someSettings({ clusterName: 'demo' }),
      hintQueueUrl: 'https://queue',
      identity: 'me',
    },
    log: { info: () => undefined, warn: (text) => warnings.push(text), error: () => undefined },
  };
  return {
    shell,
    warnings,
    /** The ids that EC2 was asked about, a list for each question. */
    questions: () =>
      asked('DescribeInstances').map((input) =>
        (Object(input).Filters as { readonly Values: readonly string[] }[]).flatMap(
          ({ Values }) => Values,
        ),
      ),
  };
}
