import { compareText } from '#lib/constraints/order.ts';
import type { DecodedObjects } from '#lib/kube/decode/decode.ts';
import { AWS_GROUP } from '#lib/model/labels.ts';
import type { NodeClass, ResolvedSubnet } from '#lib/model/node-class.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Condition } from '#lib/model/object.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { nodePoolProblems } from '#lib/model/validation/node-pool-validation.ts';

/** The objects with what controllers would have found out, and what was taken for granted. */
export interface Assumption {
  readonly objects: DecodedObjects;
  readonly warnings: readonly string[];
}

/**
 * Takes NodeClasses and NodePools of files that say nothing of their state as ready, and
 * EC2NodeClasses that a NodePool refers to and the files do not hold as ready too, with `subnets`
 * in every zone. A state that the files do give counts.
 */
export function assumeReady(
  objects: DecodedObjects,
  subnets: readonly ResolvedSubnet[],
  now: EpochMs,
): Assumption {
  const known = new Set(objects.nodeClasses.map(({ meta }) => meta.name));
  const missing = [...new Set(objects.nodePools.flatMap(ec2NodeClassOf))]
    .filter((name) => !known.has(name))
    .sort(compareText);
  const warnings = missing.map(
    (name) =>
      `EC2NodeClass ${name} is not in the files: taken as ready, in every zone of the catalog`,
  );
  if (objects.nodePools.length === 0) {
    warnings.push('the files hold no NodePool: no pod can be given a new node');
  }
  const nodeClasses = [
    ...objects.nodeClasses.map((nodeClass) => readyNodeClass(nodeClass, subnets, now)),
    ...missing.map((name) => assumedNodeClass(name, subnets, now)),
  ];
  const nodePools = objects.nodePools.map((pool) => readyNodePool(pool, now));
  return { objects: { ...objects, nodeClasses, nodePools }, warnings };
}

const ec2NodeClassOf = ({ template }: NodePool): readonly string[] => {
  const { group, kind, name } = template.nodeClassRef;
  return group === AWS_GROUP && kind === 'EC2NodeClass' ? [name] : [];
};

const isTrue = (type: string, changedAt: EpochMs): Condition => ({
  type,
  status: 'True',
  reason: type,
  message: '',
  changedAt,
  observedGeneration: 1,
});

function readyNodeClass(
  nodeClass: NodeClass,
  subnets: readonly ResolvedSubnet[],
  now: EpochMs,
): NodeClass {
  const { status, meta } = nodeClass;
  if (status.conditions.length > 0) return nodeClass;
  const conditions = [{ ...isTrue('Ready', now), observedGeneration: meta.generation }];
  const resolved = status.subnets.length > 0 ? status.subnets : subnets;
  return { ...nodeClass, status: { ...status, subnets: resolved, conditions } };
}

function assumedNodeClass(
  name: string,
  subnets: readonly ResolvedSubnet[],
  now: EpochMs,
): NodeClass {
  return {
    meta: {
      name,
      uid: `assumed-${name}`,
      resourceVersion: '',
      generation: 1,
      createdAt: now,
      labels: {},
      annotations: {},
      finalizers: [],
      owners: [],
    },
    spec: {
      subnetSelectorTerms: [],
      securityGroupSelectorTerms: [],
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      capacityReservationSelectorTerms: [],
      tags: {},
      blockDeviceMappings: [],
      metadataOptions: {
        httpEndpoint: 'enabled',
        httpProtocolIPv6: 'disabled',
        httpPutResponseHopLimit: 1,
        httpTokens: 'required',
      },
    },
    wire: {},
    status: {
      subnets,
      securityGroups: [],
      amis: [],
      capacityReservations: [],
      conditions: [isTrue('Ready', now)],
    },
  };
}

function readyNodePool(pool: NodePool, now: EpochMs): NodePool {
  if (pool.status.conditions.length > 0) return pool;
  const [problem] = nodePoolProblems(pool);
  const validated = isTrue('ValidationSucceeded', now);
  const conditions: readonly Condition[] =
    problem === undefined
      ? [isTrue('NodeClassReady', now), isTrue('Ready', now), validated]
      : [
          isTrue('NodeClassReady', now),
          {
            ...isTrue('Ready', now),
            status: 'False',
            reason: 'UnhealthyDependents',
            message: 'ValidationSucceeded=False',
          },
          {
            ...validated,
            status: 'False',
            reason: 'NodePoolValidationFailed',
            message: problem,
          },
        ];
  return { ...pool, status: { ...pool.status, conditions } };
}
