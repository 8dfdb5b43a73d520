import type { AwsCall } from '#lib/aws/calls/call.ts';
import type { AccessEntry } from '#lib/ec2/node-class/cluster-access.ts';
import { awsErrorCode, awsErrorKind } from './errors.ts';

const TYPES = ['STANDARD', 'EC2_LINUX', 'EC2_WINDOWS'] as const;

/** The access entries of these principals that are there, by principal. */
export async function findAccessEntries(
  call: AwsCall,
  clusterName: string,
  principals: readonly string[],
): Promise<ReadonlyMap<string, AccessEntry>> {
  const found = await Promise.all(
    principals.map((principalArn) => findAccessEntry(call, clusterName, principalArn)),
  );
  return new Map(found.flatMap((entry) => (entry ? [[entry.principalArn, entry] as const] : [])));
}

async function findAccessEntry(
  call: AwsCall,
  clusterName: string,
  principalArn: string,
): Promise<AccessEntry | undefined> {
  try {
    const { accessEntry } = await call('DescribeAccessEntry', { clusterName, principalArn });
    return {
      principalArn,
      // A type that is none of these lets nobody in that we would; STANDARD without groups is that.
      type: TYPES.find((type) => type === accessEntry?.type) ?? 'STANDARD',
      kubernetesGroups: (accessEntry?.kubernetesGroups ?? []).toSorted(),
    };
  } catch (error) {
    if (awsErrorKind(error) !== 'notFound') throw error;
    return undefined;
  }
}

/** Makes an access entry; one that was made in between is left as it is. */
export async function createAccessEntry(
  call: AwsCall,
  clusterName: string,
  { principalArn, type, kubernetesGroups }: AccessEntry,
): Promise<void> {
  try {
    await call('CreateAccessEntry', {
      clusterName,
      principalArn,
      type,
      ...(kubernetesGroups.length > 0 && { kubernetesGroups: [...kubernetesGroups] }),
    });
  } catch (error) {
    if (awsErrorCode(error) !== 'ResourceInUseException') throw error;
  }
}
