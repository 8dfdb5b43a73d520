import type { AwsCall } from '#lib/aws/calls/call.ts';
import { sharedCall } from '#lib/aws/calls/shared-call.ts';
import { nodeClassFacts } from '#lib/aws/node-class-facts.ts';
import { nodeClassRemains } from '#lib/aws/node-class-remains.ts';
import { nodeSettingsOf } from '#lib/ec2/catalog/node-settings.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import { hasExpressions, kubeletNumbers } from '#lib/ec2/kubelet/kubelet-numbers.ts';
import type { DecodedObjects } from '#lib/kube/decode/decode.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { readMinorVersion } from '#lib/kube/version.ts';
import { conditionOf, READY } from '#lib/model/conditions.ts';
import { NODECLASS_FINALIZER } from '#lib/model/labels.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodeClassFacts, NodeClassRemains } from '#lib/model/node-class-facts.ts';
import { isServed } from '#lib/model/node-pool.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What asking about NodeClasses takes. */
interface Ports {
  readonly kube: KubeTransport;
  readonly aws: AwsCall;
  readonly settings: { readonly cluster: ClusterSettings };
}

/** What was asked about the NodeClasses of one look. */
export interface NodeClassAnswers {
  readonly facts: readonly NodeClassFacts[];
  readonly remains: readonly NodeClassRemains[];
  readonly leftOut: readonly LeftOut[];
  /** The API server's, which picks images; absent where nobody needed it or it did not say. */
  readonly kubernetesVersion?: string;
}

/** Which NodeClasses are asked about, and beside what. */
interface NodeClassQuestion {
  readonly takenAt: EpochMs;
  /** Not only those that are due. */
  readonly all: boolean;
  /** The types on which kubelet's expressions are tried. */
  readonly types: Ec2Table['types'];
}

/**
 * What AWS answers about the NodeClasses that are due, or about all of them, and what those that
 * are going leave behind. Equal questions are asked once.
 */
export async function askAboutNodeClasses(
  { kube, aws, settings }: Ports,
  objects: Pick<DecodedObjects, 'nodeClasses' | 'nodeClaims'>,
  { takenAt, all, types }: NodeClassQuestion,
): Promise<NodeClassAnswers> {
  const call = sharedCall(aws);
  const due = objects.nodeClasses.filter(
    (nodeClass) => nodeClass.meta.deletedAt === undefined && (all || isDue(nodeClass, takenAt)),
  );
  const used = new Set(
    objects.nodeClaims.flatMap(({ spec: { nodeClassRef: ref } }) =>
      isServed(ref) ? [ref.name] : [],
    ),
  );
  const going = objects.nodeClasses.filter(
    ({ meta }) =>
      meta.deletedAt !== undefined &&
      meta.finalizers.includes(NODECLASS_FINALIZER) &&
      !used.has(meta.name),
  );
  const kubernetesVersion = due.length === 0 ? undefined : await readMinorVersion(kube);
  const cluster: ClusterSettings = {
    ...settings.cluster,
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
  };
  const [facts, remains] = await Promise.all([
    Promise.all(due.map((nodeClass) => factsOf(call, nodeClass, { settings: cluster, types }))),
    Promise.all(going.map((nodeClass) => nodeClassRemains(call, nodeClass, cluster))),
  ]);
  const leftOut = facts.flatMap(networksLeftOut);
  return { facts, remains, leftOut, ...(kubernetesVersion !== undefined && { kubernetesVersion }) };
}

/** What could not be found out of a NodeClass and keeps it from nothing. */
const networksLeftOut = ({ nodeClass, networksUnknown }: NodeClassFacts): readonly LeftOut[] =>
  networksUnknown === undefined
    ? []
    : [
        {
          object: { apiVersion: 'ec2', kind: 'the security groups of', name: nodeClass },
          field: 'DescribeSecurityGroupVpcAssociations',
          problem: networksUnknown,
        },
      ];

/**
 * How long a NodeClass that is not ready is asked about at each look, because its own instance
 * profile is being made; then every few minutes with all the others.
 */
const YOUNG_MS = 60_000;

/** Whether nothing was found out about its present generation, or that it is not ready is new. */
function isDue({ meta, status }: NodeClass, now: EpochMs): boolean {
  const ready = conditionOf(status.conditions, READY);
  if (ready === undefined || ready.observedGeneration !== meta.generation) return true;
  return ready.status !== 'True' && now - ready.changedAt < YOUNG_MS;
}

async function factsOf(
  call: AwsCall,
  nodeClass: NodeClass,
  { settings, types }: { readonly settings: ClusterSettings; readonly types: Ec2Table['types'] },
): Promise<NodeClassFacts> {
  const problem = kubeletProblem(nodeClass, settings, types);
  return {
    ...(await nodeClassFacts(call, nodeClass, settings)),
    ...(problem !== undefined && { kubeletProblem: problem }),
  };
}

/** What the kubelet expressions come to on the first type on which they come to nothing usable. */
function kubeletProblem(
  nodeClass: NodeClass,
  settings: ClusterSettings,
  types: Ec2Table['types'],
): string | undefined {
  const { kubelet } = nodeClass.spec;
  if (kubelet === undefined || settings.kubeletExpressions !== true) return undefined;
  if (!hasExpressions(kubelet)) return undefined;
  const numberSettings = nodeSettingsOf(nodeClass, settings);
  for (const { facts } of types) {
    const { problems } = kubeletNumbers(facts, numberSettings);
    if (problems.length > 0) return problems.join('; ');
  }
  return undefined;
}
