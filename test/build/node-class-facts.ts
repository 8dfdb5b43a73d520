import { nodeClassStatus, type ResolutionContext } from '#lib/ec2/node-class/node-class-status.ts';
import { decodeNodeClass } from '#lib/kube/decode/decode-node-class.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { FoundImage, NodeClassFacts } from '#lib/model/node-class-facts.ts';
import { NOON } from './objects.ts';
import { someSettings } from './snapshots.ts';

const selector = [{ tags: { 'karpenter.sh/discovery': 'test' } }];

/** The spec of an EC2NodeClass as a user writes it; a null takes a field away. */
export const aNodeClassSpec = (difference: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    Object.entries({
      subnetSelectorTerms: selector,
      securityGroupSelectorTerms: selector,
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      role: 'node-role',
      ...difference,
    }).filter(([, value]) => value !== null),
  );

/** An EC2NodeClass with that spec, as it is read, that nobody has looked at yet. */
export const aWrittenNodeClass = (
  difference: Readonly<Record<string, unknown>> = {},
  meta: Readonly<Record<string, unknown>> = {},
): NodeClass =>
  decodeNodeClass({
    metadata: {
      name: 'default',
      uid: 'uid-of-default',
      generation: 1,
      creationTimestamp: '2026-11-20T12:00:00Z',
      ...meta,
    },
    spec: aNodeClassSpec(difference),
  });

/** An x86_64 image; `difference` says what is unlike it. */
export const aFoundImage = (id: string, difference: Partial<FoundImage> = {}): FoundImage => ({
  id,
  name: id,
  architecture: 'x86_64',
  createdAt: 10,
  ...difference,
});

/** One subnet, security group, image and profile in one network. */
export const someFacts = (difference: Partial<NodeClassFacts> = {}): NodeClassFacts => ({
  nodeClass: 'default',
  subnets: [
    {
      id: 'subnet-a',
      zone: 'us-east-1a',
      zoneId: 'use1-az1',
      freeAddresses: 100,
      vpcId: 'vpc-1',
    },
  ],
  securityGroups: [{ id: 'sg-1', name: 'nodes', vpcIds: ['vpc-1'] }],
  images: [aFoundImage('ami-1', { variants: ['standard'] })],
  instanceProfiles: [{ name: 'test_profile', roles: ['node-role'], createdAt: 0 }],
  ...difference,
});

/** What a NodeClass comes to. */
export const resolving = (
  nodeClass: NodeClass,
  facts: Partial<NodeClassFacts> = {},
  context: Partial<ResolutionContext> = {},
) =>
  nodeClassStatus(nodeClass, someFacts(facts), { settings: someSettings(), now: NOON, ...context });

/** A condition of that: its status, its reason and its message. */
export function verdictOf(resolution: ReturnType<typeof resolving>, type: string): string {
  const { status, reason, message } = conditionOf(resolution.status.conditions, type) ?? {};
  return `${status} ${reason}: ${message}`;
}
