import type { HostPort } from '#lib/constraints/host-ports.ts';
import { COMPONENT } from '#lib/model/labels.ts';
import type { ObjectMeta } from '#lib/model/object.ts';
import type { Pod, PodVolume } from '#lib/model/pod.ts';
import { decodeAffinities, decodeTopologySpread } from './decode-affinity.ts';
import { conditionStatus, decodeNamespacedMeta, texts } from './decode-meta.ts';
import { decodeToleration } from './decode-scheduling.ts';
import {
  group,
  grouped,
  list,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';

import { podRequests } from './pod-requests.ts';
import { flag, instant, integer, name, oneOf, text } from './scalar.ts';

/** How long a pod may take to stop where it does not say. Source: kubernetes, core/v1 defaults. */
const DEFAULT_GRACE_SECONDS = 30;

const phase = oneOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown');
const protocol = oneOf('TCP', 'UDP', 'SCTP');
const preemptionPolicy = oneOf('PreemptLowerPriority', 'Never');

/** A Pod, with the API server's defaults where fields are missing. Throws DecodeError. */
export function decodePod(value: unknown): Pod {
  const body = wire(value);
  return decodePodOf(decodeNamespacedMeta(body), body);
}

/** The pod that `meta` names and whose spec and status `body` holds: also a template's. */
export function decodePodOf(meta: Pod['meta'], body: Wire): Pod {
  const status = group(body, 'status');
  const ofSpec = required(body, 'spec', (value) => decodeSpec(wire(value), status, meta));
  const ofStatus = required(body, 'status', () => decodeStatus(status));
  const isOurs = ofStatus.nominatedNodeName !== undefined && isNominatedByUs(body);
  return { meta, ...ofSpec, ...ofStatus, ...(isOurs && { isNominatedByUs: true }) };
}

/** Source: kubernetes v1.36, managedFields: who wrote which field last. */
const isNominatedByUs = (body: Wire): boolean =>
  list(group(body, 'metadata'), 'managedFields', wire).some(
    (entry) =>
      entry.manager === COMPONENT &&
      'f:nominatedNodeName' in group(group(entry, 'fieldsV1'), 'f:status'),
  );

type FromStatus =
  | 'nominatedNodeName'
  | 'isNominatedByUs'
  | 'phase'
  | 'startedAt'
  | 'scheduled'
  | 'ready';

function decodeSpec(spec: Wire, status: Wire, meta: ObjectMeta): Omit<Pod, 'meta' | FromStatus> {
  return {
    requests: podRequests(spec, status),
    nodeSelector: texts(spec, 'nodeSelector'),
    ...decodeAffinities(spec),
    topologySpread: list(spec, 'topologySpreadConstraints', decodeTopologySpread),
    tolerations: list(spec, 'tolerations', decodeToleration),
    hostPorts: decodeHostPorts(spec),
    volumes: decodeVolumes(spec, meta.name),
    resourceClaims: list(spec, 'resourceClaims', (claim) => required(wire(claim), 'name', name)),
    schedulerName: withDefault(spec, 'schedulerName', 'default-scheduler', text),
    priority: withDefault(spec, 'priority', 0, integer),
    priorityClassName: withDefault(spec, 'priorityClassName', '', text),
    preemptionPolicy: withDefault(
      spec,
      'preemptionPolicy',
      'PreemptLowerPriority',
      preemptionPolicy,
    ),
    graceSeconds: withDefault(
      spec,
      'terminationGracePeriodSeconds',
      DEFAULT_GRACE_SECONDS,
      integer,
    ),
    ...present({ nodeName: optional(spec, 'nodeName', text) || undefined }),
  };
}

/**
 * Ports of the node that containers and sidecars take; a pod on the host's network takes all it
 * names. Source: kubernetes v1.36, scheduler/util/utils.go, GetHostPorts; core/v1 defaults.
 */
function decodeHostPorts(spec: Wire): readonly HostPort[] {
  const onHostNetwork = withDefault(spec, 'hostNetwork', false, flag);
  const portsOf = (container: Wire): readonly HostPort[] =>
    list(container, 'ports', (port) => hostPort(wire(port), onHostNetwork)).flat();
  const sidecars = list(spec, 'initContainers', (value) => {
    const container = wire(value);
    return container.restartPolicy === 'Always' ? portsOf(container) : [];
  });
  return [...sidecars, ...list(spec, 'containers', (value) => portsOf(wire(value)))].flat();
}

function hostPort(port: Wire, onHostNetwork: boolean): HostPort[] {
  const named = withDefault(port, 'hostPort', 0, integer);
  const taken = named === 0 && onHostNetwork ? required(port, 'containerPort', integer) : named;
  if (taken === 0) return [];
  return [
    {
      ip: optional(port, 'hostIP', text) || '0.0.0.0',
      port: taken,
      protocol: withDefault(port, 'protocol', 'TCP', protocol),
    },
  ];
}

function decodeVolumes(spec: Wire, podName: string): readonly PodVolume[] {
  return list(spec, 'volumes', (value) => decodeVolume(wire(value), podName)).flat();
}

/** Volumes that take no claim (config maps, empty directories…) do not bear on placement. */
function decodeVolume(volume: Wire, podName: string): PodVolume[] {
  const volumeName = required(volume, 'name', name);
  const claimName = optional(volume, 'persistentVolumeClaim', (claim) =>
    required(wire(claim), 'claimName', name),
  );
  if (claimName !== undefined) return [{ volume: volumeName, claimName }];
  const ephemeral = optional(volume, 'ephemeral', (value) =>
    grouped(wire(value), 'volumeClaimTemplate', (template) =>
      present({ storageClassName: optional(group(template, 'spec'), 'storageClassName', text) }),
    ),
  );
  if (ephemeral === undefined) return [];
  return [{ volume: volumeName, claimName: `${podName}-${volumeName}`, ephemeral }];
}

function decodeStatus(status: Wire): Pick<Pod, FromStatus> {
  const conditions = list(status, 'conditions', wire);
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  const ready = conditions.find(({ type }) => type === 'Ready');
  return {
    phase: withDefault(status, 'phase', 'Pending', phase),
    ...present({
      nominatedNodeName: optional(status, 'nominatedNodeName', text) || undefined,
      startedAt: optional(status, 'startTime', instant),
      scheduled: scheduled && {
        status: required(scheduled, 'status', conditionStatus),
        reason: withDefault(scheduled, 'reason', '', text),
      },
      ready: ready && required(ready, 'status', conditionStatus),
    }),
  };
}
