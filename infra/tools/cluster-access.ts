/**
 * Lets Joinery's functions and its nodes into a cluster, by EKS access entries:
 *
 *   node infra/tools/cluster-access.ts --region us-east-1 --cluster shop \
 *     --function-role joinery-shop --node-role KarpenterNodeRole-shop [--windows-role …] [--apply]
 *
 * Roles are names of the cluster's own account, or ARNs; each option may be given several times.
 * Without --apply it only says what it would do. A cluster that knows no access entries is told
 * what to write into aws-auth.
 */
import { parseArgs } from 'node:util';
import { createAccessEntry, findAccessEntries } from '#lib/aws/access-entries.ts';
import { type AwsCall, typedCall } from '#lib/aws/calls/call.ts';
import { sdkCall } from '#lib/aws/calls/sdk-call.ts';
import { type DescribedCluster, describeCluster } from '#lib/aws/cluster.ts';
import { type AccessEntry, planAccess } from '#lib/ec2/node-class/cluster-access.ts';

/** Who is to be let in, and whether anything is to be done about it. */
interface Wish {
  readonly cluster: string;
  readonly functionRoles: readonly string[];
  readonly nodeRoles: readonly string[];
  readonly windowsRoles: readonly string[];
  readonly apply: boolean;
}

/** What was done, or would be, in lines for a person. Throws what EKS refuses. */
export async function grantAccess(call: AwsCall, wish: Wish): Promise<readonly string[]> {
  const cluster = await describeCluster(call, wish.cluster);
  const roles = {
    functionRoles: wish.functionRoles.map(arnIn(cluster)),
    linuxRoles: wish.nodeRoles.map(arnIn(cluster)),
    windowsRoles: wish.windowsRoles.map(arnIn(cluster)),
  };
  const knowsEntries = cluster.authenticationMode !== 'CONFIG_MAP';
  const entries = knowsEntries
    ? await findAccessEntries(call, wish.cluster, Object.values(roles).flat())
    : new Map<string, AccessEntry>();
  const { create, instructions } = planAccess({
    clusterName: wish.cluster,
    authenticationMode: cluster.authenticationMode,
    ...roles,
    entries,
  });
  if (wish.apply) {
    for (const entry of create) await createAccessEntry(call, wish.cluster, entry);
  }
  const lines = [...create.map((entry) => describeEntry(entry, wish.apply)), ...instructions];
  return [
    ...(lines.length > 0 ? lines : ['Everybody is let in already.']),
    ...(cluster.isPublic ? [] : [PRIVATE]),
  ];
}

const PRIVATE =
  "The cluster's endpoint is private: the functions must run in its VPC, in a security group that it lets in.";

/** A role's ARN, in the partition and the account of the cluster where only its name is given. */
const arnIn =
  ({ arn }: Pick<DescribedCluster, 'arn'>) =>
  (role: string): string => {
    if (role.startsWith('arn:')) return role;
    const [, partition = 'aws', , , account = ''] = arn.split(':');
    return `arn:${partition}:iam::${account}:role/${role}`;
  };

function describeEntry(
  { principalArn, type, kubernetesGroups }: AccessEntry,
  isDone: boolean,
): string {
  const groups = kubernetesGroups.length > 0 ? `, groups ${kubernetesGroups.join()}` : '';
  const verb = isDone ? 'Made' : 'Would make (--apply does)';
  return `${verb} an access entry for ${principalArn}: ${type}${groups}`;
}

const several = { type: 'string', multiple: true, default: [] as string[] } as const;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      region: { type: 'string' },
      cluster: { type: 'string' },
      'function-role': several,
      'node-role': several,
      'windows-role': several,
      apply: { type: 'boolean', default: false },
    },
  });
  const { region, cluster, apply } = values;
  if (region === undefined || cluster === undefined) {
    throw new Error('--region and --cluster are needed; the head of this file says what else');
  }
  const lines = await grantAccess(typedCall(sdkCall({ region })), {
    cluster,
    functionRoles: values['function-role'],
    nodeRoles: values['node-role'],
    windowsRoles: values['windows-role'],
    apply,
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}

if (import.meta.main) await main();
