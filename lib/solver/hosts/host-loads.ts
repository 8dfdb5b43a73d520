import type { HostPort } from '#lib/constraints/host-ports.ts';
import { type Amounts, plus } from '../amounts.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { type Company, mostBeside, type NodeContext } from '../topology/node-rules.ts';
import type { Topology } from '../topology/topology.ts';
import { mostAttachable } from '../volumes/attachments.ts';
import { type Host, placesOn } from './hosts.ts';

/** Said when a pod can get no other place: what is merely better otherwise does not matter then. */
export type Resort = 'last';

/** What has been put on existing nodes, and what they have room for beside it. */
export interface HostLoads {
  /** How many pods of a group go on a host, by room, ports, volumes and rules over the hostname. */
  readonly roomFor: (host: Host, group: PodGroup, resort?: Resort) => number;
  readonly add: (host: Host, group: PodGroup, count: number) => void;
}

/** Hosts on which nothing has been put yet. */
export function emptyLoads(
  { residentsOn }: Pick<Topology, 'residentsOn'>,
  { mayBegin }: Pick<NodeContext, 'mayBegin'>,
): HostLoads {
  const used = new Map<Host, Amounts>();
  const ports = new Map<Host, readonly HostPort[]>();
  const company = new Map<Host, Company>();
  const usedOf = (host: Host): Amounts => used.get(host) ?? host.free.map(() => 0);
  const companyOn = (host: Host): Company => company.get(host) ?? NOBODY;
  return {
    roomFor: (host, group, resort) => {
      const room = Math.min(
        placesOn(host, group, usedOf(host), ports.get(host) ?? []),
        mostAttachable(group, host.attachments, companyOn(host)),
      );
      if (room < 1 || group.standing.byNode.length === 0) return room;
      const mayCrowd = resort === 'last';
      const context = { residents: residentsOn(host), mayBegin, mayCrowd };
      return Math.min(room, mostBeside(group, companyOn(host), context));
    },
    add: (host, group, count) => {
      used.set(host, plus(usedOf(host), group.amounts, count));
      ports.set(host, [...(ports.get(host) ?? []), ...group.hostPorts]);
      const before = companyOn(host).get(group) ?? 0;
      company.set(host, new Map(companyOn(host)).set(group, before + count));
    },
  };
}

const NOBODY: Company = new Map();
