import { kubeletFlags } from '#lib/ec2/kubelet/kubelet-flags.ts';
import { kubeletOf, type NodeIdentity } from './node-identity.ts';

/** Where EKS's images keep the script that joins them to a cluster. */
const FIND_SCRIPT =
  '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"';

/**
 * The PowerShell by which a Windows instance becomes a node: the user's lines, then EKS's
 * bootstrap. Local disks are not joined: the script knows no way to.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/bootstrap/windows.go.
 */
export function windowsBootstrap(identity: NodeIdentity): string {
  const { nodeClass, settings } = identity;
  const [dns] = kubeletOf(identity).clusterDNS ?? [];
  const options = [
    `-EKSClusterName '${settings.clusterName}'`,
    `-APIServerEndpoint '${settings.clusterEndpoint}'`,
    ...(settings.clusterCa === '' ? [] : [`-Base64ClusterCA '${settings.clusterCa}'`]),
    `-KubeletExtraArgs '${kubeletFlags(identity).join(' ')}'`,
    ...(dns === undefined ? [] : [`-DNSClusterIP '${dns}'`]),
  ];
  const own = nodeClass.spec.userData ?? '';
  const lines = [
    '<powershell>',
    ...(own === '' ? [] : [own]),
    FIND_SCRIPT,
    `& $EKSBootstrapScriptFile ${options.join(' ')}`,
    '</powershell>',
  ];
  return lines.join('\n');
}
