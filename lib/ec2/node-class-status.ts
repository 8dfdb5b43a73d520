import { compareText } from '#lib/constraints/order.ts';
import { type ConditionChange, withCondition, withRoot } from '#lib/model/conditions.ts';
import type { NodeClass, ResolvedAmi, ResolvedSubnet } from '#lib/model/node-class.ts';
import type { NodeClassFacts } from '#lib/model/node-class-facts.ts';
import type { Condition } from '#lib/model/object.ts';
import type { StatusChange } from '#lib/model/plan.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { aliasOf } from './ami-family.ts';
import { VALIDATION_SUCCEEDED, validation } from './node-class-validation.ts';
import { resolvedImages } from './resolved-images.ts';

const AMIS = 'AMIsReady';
const SUBNETS = 'SubnetsReady';
const SECURITY_GROUPS = 'SecurityGroupsReady';
const INSTANCE_PROFILE = 'InstanceProfileReady';
const RESOLVED = [AMIS, SUBNETS, SECURITY_GROUPS, INSTANCE_PROFILE];

/** What one part of the facts means: what the status says then, and the part's condition. */
interface Part {
  readonly status: StatusChange;
  /** Absent: nothing was learnt, the condition stays. */
  readonly condition?: Pick<ConditionChange, 'type' | 'status' | 'reason' | 'message'>;
}

/**
 * The whole status of a NodeClass as its facts make it; lists are whole, conditions sorted by
 * type. A part that AWS did not answer keeps what was known. The instance profile is ready once
 * it was found: making it is another action's (see instanceProfileOf).
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass.
 */
export function nodeClassStatus(
  nodeClass: NodeClass,
  facts: NodeClassFacts,
  settings: Pick<ClusterSettings, 'serviceCidr'>,
  now: EpochMs,
): StatusChange & { readonly conditions: readonly Condition[] } {
  const parts = [
    imagesPart(nodeClass, facts, now),
    subnetsPart(facts),
    securityGroupsPart(facts),
    profilePart(facts),
  ];
  const { generation, createdAt } = nodeClass.meta;
  const set = (conditions: readonly Condition[], change: ConditionChange) =>
    withCondition(conditions, { ...change, observedGeneration: generation }, now);
  const resolved = parts.reduce(
    (conditions, { condition }) => (condition ? set(conditions, condition) : conditions),
    nodeClass.status.conditions,
  );
  const verdict = validation(nodeClass, RESOLVED, resolved, settings);
  const validated = set(resolved, { type: VALIDATION_SUCCEEDED, ...verdict });
  const root = { dependents: [...RESOLVED, VALIDATION_SUCCEEDED], generation, createdAt };
  return {
    ...Object.assign({}, ...parts.map(({ status }) => status)),
    conditions: withRoot(validated, root, now),
  };
}

const UNKNOWN: Part = { status: {} };

function imagesPart(nodeClass: NodeClass, { images }: NodeClassFacts, now: EpochMs): Part {
  const alias = aliasOf(nodeClass);
  if (alias !== undefined && alias.family !== 'AL2023') {
    const message = `Images of family ${alias.family} cannot be launched by this version`;
    return { status: { amis: [] }, condition: notFound(AMIS, 'UnsupportedAlias', message) };
  }
  if ('failed' in images) return UNKNOWN;
  const amis: readonly ResolvedAmi[] = resolvedImages(images, now);
  const message = 'AMISelector did not match any AMIs';
  return {
    status: { amis },
    condition: amis.length > 0 ? found(AMIS) : notFound(AMIS, 'AMINotFound', message),
  };
}

function subnetsPart({ subnets }: NodeClassFacts): Part {
  if ('failed' in subnets) return UNKNOWN;
  const message = 'SubnetSelector did not match any Subnets';
  return {
    status: { subnets: [...subnets].sort(byFreeAddresses).map(published) },
    condition: subnets.length > 0 ? found(SUBNETS) : notFound(SUBNETS, 'SubnetsNotFound', message),
  };
}

const byFreeAddresses = (a: ResolvedSubnet, b: ResolvedSubnet): number =>
  (b.freeAddresses ?? 0) - (a.freeAddresses ?? 0) || compareText(a.id, b.id);

/** Free addresses are true for a moment only, and stand in no status. */
const published = ({ id, zone, zoneId }: ResolvedSubnet): ResolvedSubnet => ({ id, zone, zoneId });

function securityGroupsPart({ securityGroups }: NodeClassFacts): Part {
  if ('failed' in securityGroups) return UNKNOWN;
  const message = 'SecurityGroupSelector did not match any SecurityGroups';
  return {
    status: { securityGroups: [...securityGroups].sort((a, b) => compareText(a.id, b.id)) },
    condition:
      securityGroups.length > 0
        ? found(SECURITY_GROUPS)
        : notFound(SECURITY_GROUPS, 'SecurityGroupsNotFound', message),
  };
}

const profilePart = ({ instanceProfile }: NodeClassFacts): Part =>
  typeof instanceProfile === 'string'
    ? { status: { instanceProfile }, condition: found(INSTANCE_PROFILE) }
    : UNKNOWN;

const found = (type: string) => ({ type, status: 'True' }) as const;

const notFound = (type: string, reason: string, message: string) =>
  ({ type, status: 'False', reason, message }) as const;
