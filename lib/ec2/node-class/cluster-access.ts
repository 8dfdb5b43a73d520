import { compareText } from '#lib/constraints/order.ts';

/** How an IAM role may enter a cluster. */
export interface AccessEntry {
  readonly principalArn: string;
  /** Nodes are let in by their kind; everybody else by groups. */
  readonly type: 'STANDARD' | 'EC2_LINUX' | 'EC2_WINDOWS';
  /** Of STANDARD entries; sorted. */
  readonly kubernetesGroups: readonly string[];
}

/** What is known of a cluster and who shall enter it. */
export interface AccessWanted {
  readonly clusterName: string;
  readonly authenticationMode: 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';
  /** ARNs of roles that functions run as. */
  readonly functionRoles: readonly string[];
  /** ARNs of roles of Linux nodes. */
  readonly linuxRoles: readonly string[];
  /** ARNs of roles of Windows nodes. */
  readonly windowsRoles: readonly string[];
  /** The entries that are there, by principal. */
  readonly entries: ReadonlyMap<string, AccessEntry>;
}

/** What is to be done so that they may. */
export interface AccessPlan {
  /** Entries that are missing; sorted by principal. */
  readonly create: readonly AccessEntry[];
  /** What a person must see to, in sentences. */
  readonly instructions: readonly string[];
}

/**
 * The group that the functions' role belongs to. Groups of the cluster itself begin with system:,
 * and EKS lets no entry name one.
 *
 * Source: EKS API, CreateAccessEntry, kubernetesGroups.
 */
export const FUNCTIONS_GROUP = 'joinery';

/**
 * Which access entries must be made, or, where the cluster knows no access entries, what is to be
 * written into the ConfigMap aws-auth. An entry that is there and says something else is never
 * changed: it is somebody's.
 *
 * Source: EKS User Guide, Grant IAM users access to Kubernetes with EKS access entries; karpenter
 * AWS provider v1.14, documentation, Getting started, for the mapping of nodes.
 */
export function planAccess(wanted: AccessWanted): AccessPlan {
  const entries = wantedEntries(wanted);
  if (wanted.authenticationMode === 'CONFIG_MAP') {
    return { create: [], instructions: byConfigMap(wanted, entries) };
  }
  const create = entries.filter(({ principalArn }) => !wanted.entries.has(principalArn));
  const instructions = entries.flatMap((entry) => {
    const found = wanted.entries.get(entry.principalArn);
    return found === undefined || isAsGood(found, entry) ? [] : [describeOther(found, entry)];
  });
  return { create, instructions };
}

function wantedEntries(wanted: AccessWanted): readonly AccessEntry[] {
  const nodes = (type: AccessEntry['type'], roles: readonly string[]): readonly AccessEntry[] =>
    roles.map((principalArn) => ({ principalArn, type, kubernetesGroups: [] }));
  return [
    ...wanted.functionRoles.map(
      (principalArn): AccessEntry => ({
        principalArn,
        type: 'STANDARD',
        kubernetesGroups: [FUNCTIONS_GROUP],
      }),
    ),
    ...nodes('EC2_LINUX', wanted.linuxRoles),
    ...nodes('EC2_WINDOWS', wanted.windowsRoles),
  ].sort((a, b) => compareText(a.principalArn, b.principalArn) || compareText(a.type, b.type));
}

const isAsGood = (found: AccessEntry, wanted: AccessEntry): boolean =>
  found.type === wanted.type &&
  wanted.kubernetesGroups.every((group) => found.kubernetesGroups.includes(group));

function describeOther(found: AccessEntry, wanted: AccessEntry): string {
  const groups = (entry: AccessEntry) =>
    entry.kubernetesGroups.length === 0 ? '' : ` with the groups ${entry.kubernetesGroups.join()}`;
  return `${found.principalArn} has an access entry of type ${found.type}${groups(found)}, and needs ${wanted.type}${groups(wanted)}: change it, or take another role`;
}

function byConfigMap(
  { clusterName }: AccessWanted,
  entries: readonly AccessEntry[],
): readonly string[] {
  return [
    `The cluster ${clusterName} knows no access entries (its authentication mode is CONFIG_MAP). Best let it know them: aws eks update-cluster-config --name ${clusterName} --access-config authenticationMode=API_AND_CONFIG_MAP; nothing that aws-auth lets in is shut out by that. There is no way back.`,
    `Else add to mapRoles in the ConfigMap aws-auth of kube-system:\n${entries.map(mappingOf).join('\n')}`,
  ];
}

/** One item of aws-auth's mapRoles, in YAML; aws-auth knows roles without their path. */
function mappingOf({ principalArn, type, kubernetesGroups }: AccessEntry): string {
  const isNode = type !== 'STANDARD';
  const groups = isNode
    ? [
        'system:bootstrappers',
        'system:nodes',
        ...(type === 'EC2_WINDOWS' ? ['eks:kube-proxy-windows'] : []),
      ]
    : kubernetesGroups;
  const user = isNode ? 'system:node:{{EC2PrivateDNSName}}' : FUNCTIONS_GROUP;
  return [
    `- rolearn: ${principalArn.replace(/:role\/.*\//, ':role/')}`,
    `  username: ${user}`,
    '  groups:',
    ...groups.map((group) => `  - ${group}`),
  ].join('\n');
}
