/** A statement of an IAM policy, as IAM writes it. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Conditions;
}

/** By operator and by key: what the value must be, one of a list. */
export type Conditions = Readonly<
  Record<string, Readonly<Record<string, string | readonly string[]>>>
>;

/**
 * Whom policies are for. The strings may be references that are filled in later, so they are only
 * ever put together, never taken apart.
 */
export interface PolicyPlace {
  readonly partition: string;
  readonly region: string;
  readonly accountId: string;
  readonly clusterName: string;
  /** The one role that may be passed to nodes. */
  readonly nodeRoleArn: string;
  /** The queue of hints. */
  readonly hintQueueArn: string;
  /** The event bus that decisions are told to; of no meaning where there is none. */
  readonly eventBusArn: string;
}

/** A group of statements that belong to one adapter. */
export type PolicyGroup = (place: PolicyPlace) => readonly Statement[];

/** A statement that allows `actions` on `resources` where the conditions hold. */
export const allow = (
  sid: string,
  actions: readonly string[],
  resources: readonly string[],
  conditions?: Conditions,
): Statement => ({
  Sid: sid,
  Effect: 'Allow',
  Action: actions,
  Resource: resources,
  ...(conditions && { Condition: conditions }),
});

/** ARNs of EC2 resources of some types, in the account or in any, as `account` says. */
export const ec2Arns = (
  { partition, region }: PolicyPlace,
  account: string,
  types: readonly string[],
): readonly string[] => types.map((type) => `arn:${partition}:ec2:${region}:${account}:${type}/*`);

/**
 * That a resource which is there, or one which is being made, is tagged as the cluster's. The tag's
 * value names the cluster and not its key, so that a template can have the name as a parameter.
 */
export const ownedBy = (
  subject: 'ResourceTag' | 'RequestTag',
  { clusterName }: PolicyPlace,
): Readonly<Record<string, string>> => ({ [`aws:${subject}/eks:eks-cluster-name`]: clusterName });
