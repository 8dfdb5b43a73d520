import type { Resources } from '#lib/constraints/resources.ts';
import type { Json } from '#lib/model/launch.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

const EFA = 'vpc.amazonaws.com/efa';

type Fields = Readonly<Record<string, Json>>;

/**
 * The network interfaces of an instance as its launch template lists them: those of the NodeClass,
 * or as many EFA interfaces as the type has where a claim asks for any, or a single one.
 *
 * Source: karpenter AWS provider v1.14, providers/launchtemplate/launchtemplate.go,
 * generateNetworkInterfaces.
 */
export function interfacesOf(
  nodeClass: NodeClass,
  settings: ClusterSettings,
  requests: Resources,
  capacity: Resources,
): readonly Json[] {
  const groups = { Groups: nodeClass.status.securityGroups.map(({ id }) => id) };
  const full = { ...groups, ...addressingOf(nodeClass, settings), ...trackingOf(nodeClass) };
  const listed = nodeClass.spec.networkInterfaces;
  if (listed !== undefined && listed.length > 0) {
    return listed.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      NetworkCardIndex: networkCardIndex,
      DeviceIndex: deviceIndex,
      InterfaceType: interfaceType,
      // An interface that only carries EFA traffic has no addresses and no connections.
      ...(interfaceType === 'efa-only' ? groups : full),
    }));
  }
  const isAsked = listed === undefined && (requests[EFA] ?? 0) > 0;
  const efaCount = isAsked ? (capacity[EFA] ?? 0) : 0;
  if (efaCount === 0) return [{ DeviceIndex: 0, ...full }];
  return Array.from({ length: efaCount }, (_, card) => ({
    NetworkCardIndex: card,
    DeviceIndex: card === 0 ? 0 : 1,
    InterfaceType: 'efa',
    ...full,
  }));
}

/**
 * Whether the pods and services of a cluster have IPv6 addresses, which its DNS service tells;
 * where nothing is known, they have IPv4.
 *
 * Source: karpenter AWS provider v1.14, operator/operator.go, GetClusterDNS.
 */
const isIpv6 = ({ clusterDnsIp, serviceCidr }: ClusterSettings): boolean =>
  (clusterDnsIp ?? serviceCidr).includes(':');

function addressingOf({ spec }: NodeClass, settings: ClusterSettings): Fields {
  const isPublic = spec.associatePublicIPAddress;
  const ipv6 = isIpv6(settings);
  const prefixes = ipv6 ? 'Ipv6PrefixCount' : 'Ipv4PrefixCount';
  return {
    ...(isPublic === undefined ? {} : { AssociatePublicIpAddress: isPublic }),
    ...(spec.ipPrefixCount === undefined ? {} : { [prefixes]: spec.ipPrefixCount }),
    ...(ipv6 ? { PrimaryIpv6: true, Ipv6AddressCount: 1 } : {}),
  };
}

function trackingOf({ spec }: NodeClass): Fields {
  const { connectionTracking } = spec;
  if (connectionTracking === undefined) return {};
  const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = connectionTracking;
  return {
    ConnectionTrackingSpecification: {
      ...(tcpEstablishedTimeout === undefined
        ? {}
        : { TcpEstablishedTimeout: tcpEstablishedTimeout }),
      ...(udpStreamTimeout === undefined ? {} : { UdpStreamTimeout: udpStreamTimeout }),
      ...(udpTimeout === undefined ? {} : { UdpTimeout: udpTimeout }),
    },
  };
}
