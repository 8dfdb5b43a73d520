/** The DNS service's place in a service network. Source: EKS User Guide, service IPv4 range. */
const DNS_HOST = 10;

/**
 * The address of the cluster's DNS service, which EKS puts at the tenth of the service network;
 * undefined where `cidr` is no network.
 *
 * Example: 10.100.0.0/16 has 10.100.0.10, fd30:1c53:5f8a::/108 has fd30:1c53:5f8a::a.
 */
export function dnsAddressIn(cidr: string): string | undefined {
  const [network = ''] = cidr.split('/');
  if (network.endsWith('::')) return `${network}${DNS_HOST.toString(16)}`;
  const octets = network.split('.').map(Number);
  const last = octets.at(-1);
  if (octets.length !== 4 || last === undefined || octets.some(Number.isNaN)) return undefined;
  return [...octets.slice(0, -1), last + DNS_HOST].join('.');
}
