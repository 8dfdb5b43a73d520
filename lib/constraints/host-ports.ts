/** A port of the node itself that a pod takes. `ip` is '0.0.0.0' where the pod names none. */
export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}

/**
 * The first of `wanted` that one of `taken` stands in the way of: same port, same protocol, and
 * the same address, or one that means every address (0.0.0.0, ::) on either side.
 *
 * Source: karpenter v1.14, scheduling/hostportusage.go, HostPort.Matches.
 */
export function firstPortConflict(
  wanted: readonly HostPort[],
  taken: readonly HostPort[],
): HostPort | undefined {
  for (const want of wanted) {
    for (const take of taken) if (collide(want, take)) return want;
  }
  return undefined;
}

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  if (a.ip === b.ip) return true;
  const [left, right] = [canonicalAddress(a.ip), canonicalAddress(b.ip)];
  return left === right || left === EVERY_ADDRESS || right === EVERY_ADDRESS;
}

const EVERY_ADDRESS = '0.0.0.0';
const MAPPED_IPV4 = /^0:0:0:0:0:ffff:([0-9a-f]+):([0-9a-f]+)$/;

/** One spelling for each address: IPv4 for IPv4-mapped IPv6, 0.0.0.0 for ::. */
function canonicalAddress(ip: string): string {
  if (ip === '') return EVERY_ADDRESS;
  if (!ip.includes(':')) return ip;
  const groups = expandIpv6(ip.toLowerCase());
  if (groups === '0:0:0:0:0:0:0:0') return EVERY_ADDRESS;
  const mapped = MAPPED_IPV4.exec(groups);
  if (!mapped) return groups;
  const bytes = [mapped[1], mapped[2]].flatMap((group = '0') => {
    const value = Number.parseInt(group, 16);
    return [Math.floor(value / 256), value % 256];
  });
  return bytes.join('.');
}

/** All eight groups of an IPv6 address, without leading zeros: "::1" is "0:0:0:0:0:0:0:1". */
function expandIpv6(ip: string): string {
  const groupsOf = (part: string): string[] =>
    part === '' ? [] : part.split(':').flatMap((group) => hexGroups(group));
  const [head = '', tail] = ip.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill('0'), ...after].join(':');
}

/** One group without leading zeros; a dotted IPv4 tail as the two groups it stands for. */
function hexGroups(group: string): string[] {
  if (!group.includes('.')) return [group.replace(/^0+(?=.)/, '')];
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((value) => value.toString(16));
}

/** A host port as people write it: "TCP 0.0.0.0:8080". */
export const describeHostPort = ({ ip, port, protocol }: HostPort): string =>
  `${protocol} ${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
