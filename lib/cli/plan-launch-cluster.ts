import { dnsAddressIn } from '#lib/ec2/user-data/service-network.ts';
import { optional, required, type Wire, wire } from '#lib/kube/decode/field.ts';
import { oneOf, text } from '#lib/kube/decode/scalar.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { fileSentence, textOfFile } from './json-file.ts';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const FORM =
  '{ name, endpoint, certificateAuthority, serviceCidr, dnsIp, ipFamily, kubernetesVersion, region }';

/**
 * What a file tells of the cluster that nodes are to join, as settings; or what is wrong with it.
 * Where it names no DNS service, its family of addresses is that of the service network.
 *
 * Example: { "name": "shop", "endpoint": "https://…", "certificateAuthority": "LS0t…",
 * "serviceCidr": "172.20.0.0/16", "dnsIp": "172.20.0.10", "ipFamily": "ipv4",
 * "kubernetesVersion": "1.33", "region": "us-west-2" }
 */
export async function readClusterFile(
  path: string,
): Promise<ClusterSettings | { readonly problem: string }> {
  try {
    const cluster = settingsOf(wire(JSON.parse(await textOfFile(path))));
    return typeof cluster === 'string' ? { problem: `${path}: ${cluster}` } : cluster;
  } catch (error) {
    return { problem: `${path}: ${fileSentence(error, 'cluster', FORM)}` };
  }
}

function settingsOf(of: Wire): ClusterSettings | string {
  const serviceCidr = required(of, 'serviceCidr', text);
  const clusterDnsIp = optional(of, 'dnsIp', text);
  const family = optional(of, 'ipFamily', oneOf('ipv4', 'ipv6'));
  const address = clusterDnsIp ?? serviceCidr;
  if (family !== undefined && address.includes(':') !== (family === 'ipv6')) {
    return `ipFamily is ${family}, but ${address} is not of it`;
  }
  if (clusterDnsIp === undefined && dnsAddressIn(serviceCidr) === undefined) {
    return `serviceCidr: found ${JSON.stringify(serviceCidr)}, expected a network such as 172.20.0.0/16`;
  }
  const clusterCa = required(of, 'certificateAuthority', text);
  if (!BASE64.test(clusterCa)) {
    return 'certificateAuthority: found what is not base64; it is as aws eks describe-cluster has it';
  }
  return {
    clusterName: required(of, 'name', text),
    clusterEndpoint: required(of, 'endpoint', text),
    clusterCa,
    serviceCidr,
    ...(clusterDnsIp === undefined ? {} : { clusterDnsIp }),
    kubernetesVersion: required(of, 'kubernetesVersion', text),
    region: required(of, 'region', text),
    minValuesPolicy: 'Strict',
    preferencePolicy: 'Respect',
    vmMemoryOverheadPercent: 0.075,
  };
}
