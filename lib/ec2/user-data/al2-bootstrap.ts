import { kubeletFlags } from '#lib/ec2/kubelet/kubelet-flags.ts';
import { kubeletOf, type NodeIdentity } from './node-identity.ts';

/** Everything that the script says goes to a file and to the console. */
const LOG_TO_CONSOLE =
  'exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1';

/**
 * The shell script by which an AL2 instance becomes a node: EKS's bootstrap with the cluster and
 * kubelet's flags. Values follow their option after a space, since the bootstrap reads no "=".
 *
 * Source: awslabs/amazon-eks-ami, bootstrap.sh; karpenter AWS provider v1.14,
 * providers/amifamily/bootstrap/eksbootstrap.go.
 */
export function al2Bootstrap(identity: NodeIdentity): string {
  const { nodeClass, settings } = identity;
  const [dns] = kubeletOf(identity).clusterDNS ?? [];
  const ca = settings.clusterCa === '' ? '' : `--b64-cluster-ca '${settings.clusterCa}'`;
  const command = `/etc/eks/bootstrap.sh '${settings.clusterName}' --apiserver-endpoint '${settings.clusterEndpoint}' ${ca}`;
  const options = [
    command,
    ...(dns?.includes(':') ? ['--ip-family ipv6'] : []),
    ...(dns === undefined ? [] : [`--dns-cluster-ip '${dns}'`]),
    '--use-max-pods false',
    `--kubelet-extra-args '${kubeletFlags(identity).join(' ')}'`,
    ...(nodeClass.spec.instanceStorePolicy === 'RAID0' ? ['--local-disks raid0'] : []),
  ];
  return `#!/bin/bash -xe\n${LOG_TO_CONSOLE}\n${options.join(' \\\n')}`;
}
