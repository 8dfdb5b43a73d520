/**
 * The AWS cloud controller manager: gives new Nodes the labels of their instance and lifts the
 * taint that they register with; deletes Nodes that are not Ready and whose instance is terminated.
 *
 * Simplified: stopped instances are not played, nor are routes and load balancers.
 *
 * Source: kubernetes v1.36, cloud-provider/controllers/{node,nodelifecycle}; cloud-provider-aws.
 */
import { INSTANCE_TYPE, REGION, ZONE } from '#lib/model/labels.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Machine, MachineListener } from '../machine.ts';
import { isReady } from './conditions.ts';
import { UNINITIALIZED } from './node-registration.ts';
import type { Registry } from './registry.ts';
import { isNode } from './store.ts';
import type { NodeObject } from './wire.ts';
import { createWorkQueue } from './work-queue.ts';
import { createWriter, type Writer } from './writer.ts';

/** From a Node's registration to its labels: one DescribeInstances. */
const INITIALIZE_MS = 500;
/** Source: kubernetes v1.36, cloud-provider, nodeMonitorPeriod. */
const MONITOR_MS = 5_000;

/** What the cloud controller works with; `region` is what it labels Nodes with. */
export interface CloudControllerParts {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly registry: Registry;
  readonly region: string;
}

/** Starts the controller over a registry; it must hear of the machines. */
export function startCloudController(parts: CloudControllerParts): MachineListener {
  const { clock, registry } = parts;
  const writer = createWriter(registry, 'cloud-controller-manager');
  const machines = new Map<string, Machine>();
  const births = createWorkQueue(clock, (name) => initialize(parts, writer, machines, name));
  const deaths = createWorkQueue(clock, (name) => removeIfGone(parts, writer, machines, name));
  registry.store.onChange(({ object, type }) => {
    if (!isNode(object) || type === 'deleted') return;
    if (type === 'added') births.add(object.metadata.name, INITIALIZE_MS);
    if (!isReady(object)) deaths.add(object.metadata.name, MONITOR_MS);
  });
  return {
    started: (machine) => {
      machines.set(machine.id, machine);
    },
    stopping: () => undefined,
    gone: (machine) => {
      const node = registry.store.get('Node', '', machine.privateDnsName);
      if (node !== undefined) deaths.add(machine.privateDnsName, MONITOR_MS);
    },
  };
}

const machineOf = (
  machines: ReadonlyMap<string, Machine>,
  { spec }: NodeObject,
): Machine | undefined => machines.get(spec.providerID?.split('/').at(-1) ?? '');

function initialize(
  { registry, region }: CloudControllerParts,
  writer: Writer,
  machines: ReadonlyMap<string, Machine>,
  name: string,
): void {
  const node = registry.store.known('Node', '', name);
  const machine = node === undefined ? undefined : machineOf(machines, node);
  if (node === undefined || machine === undefined) return;
  const taints = (node.spec.taints ?? []).filter(({ key }) => key !== UNINITIALIZED.key);
  const labels = {
    ...node.metadata.labels,
    'beta.kubernetes.io/instance-type': machine.type.name,
    'failure-domain.beta.kubernetes.io/region': region,
    'failure-domain.beta.kubernetes.io/zone': machine.zone,
    [INSTANCE_TYPE]: machine.type.name,
    [REGION]: region,
    [ZONE]: machine.zone,
  };
  const metadata = { ...node.metadata, labels };
  writer.update({ ...node, metadata, spec: { ...node.spec, taints } });
}

function removeIfGone(
  { registry, journal, clock }: CloudControllerParts,
  writer: Writer,
  machines: ReadonlyMap<string, Machine>,
  name: string,
): void {
  const node = registry.store.known('Node', '', name);
  if (node === undefined || isReady(node)) return;
  if (machineOf(machines, node)?.state !== 'terminated') return;
  if (node.metadata.deletionTimestamp === undefined) {
    const text = `${name} is deleted: its instance is terminated`;
    journal.note({ at: clock.now(), source: 'controller', text, fields: { node: name } });
  }
  writer.remove(node);
}
