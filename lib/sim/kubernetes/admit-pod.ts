/** Defaults and validation of pods, as far as placement, eviction and deletion depend on them. */
import { parseAmount } from '#lib/constraints/quantity.ts';
import { sameJson } from './json.ts';
import { isSubdomain } from './names.ts';
import {
  type Cause,
  forbiddenValue,
  invalid,
  invalidValue,
  type Refusal,
  refusal,
  requiredValue,
} from './status.ts';
import type { Store } from './store.ts';
import type { Container, PodObject, PodSpec, Quantities, WireToleration } from './wire.ts';

const POD = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  custom: false,
} as const;

/** A pod to create with its defaults, or why it may not be. */
export function admitPod(pod: PodObject, store: Store): PodObject | Refusal {
  const { name } = pod.metadata;
  const causes = podCauses(pod.spec, 'spec');
  if (causes.length > 0) return invalid(POD, name, causes);
  const priority = priorityOf(pod.spec, store);
  if (priority === undefined) {
    const because = `no PriorityClass with name ${pod.spec.priorityClassName} was found`;
    return refusal(403, 'Forbidden', `pods "${name}" is forbidden: ${because}`);
  }
  const { containers, initContainers } = pod.spec;
  const spec: PodSpec = {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
    ...pod.spec,
    ...priority,
    containers: containers.map(withRequests),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withRequests) }),
    tolerations: withPatience(pod.spec.tolerations ?? []),
  };
  const gated = (spec.schedulingGates ?? []).length > 0;
  const waiting = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  } as const;
  return {
    ...pod,
    spec,
    status: { phase: 'Pending', ...(gated ? { conditions: [waiting] } : {}) },
  };
}

/** What is wrong with a pod's spec, or with that of a template that stands at `at`. */
export function podCauses(spec: PodSpec, at: string): readonly Cause[] {
  if (spec.containers.length === 0) return [requiredValue(`${at}.containers`)];
  const causes: Cause[] = [];
  const names = new Set<string>();
  const lists = [
    ['containers', spec.containers],
    ['initContainers', spec.initContainers ?? []],
  ] as const;
  for (const [field, list] of lists) {
    for (const [index, container] of list.entries()) {
      causes.push(...containerCauses(container, `${at}.${field}[${index}]`, names));
    }
  }
  const grace = spec.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0) {
    const because = 'must be greater than or equal to 0';
    causes.push(invalidValue(`${at}.terminationGracePeriodSeconds`, grace, because));
  }
  return causes;
}

function containerCauses(
  { name, resources }: Container,
  at: string,
  names: Set<string>,
): readonly Cause[] {
  const causes: Cause[] = [];
  if (name === '') causes.push(requiredValue(`${at}.name`));
  if (names.has(name)) {
    const message = `Duplicate value: ${JSON.stringify(name)}`;
    causes.push({ reason: 'FieldValueDuplicate', message, field: `${at}.name` });
  }
  names.add(name);
  for (const [resource, quantity] of Object.entries(resources?.requests ?? {})) {
    const field = `${at}.resources.requests[${resource}]`;
    const asked = parseAmount(resource, quantity) ?? 0;
    if (asked < 0) {
      causes.push(invalidValue(field, quantity, 'must be greater than or equal to 0'));
    }
    const limit = resources?.limits?.[resource];
    if (limit !== undefined && asked > (parseAmount(resource, limit) ?? 0)) {
      const because = `must be less than or equal to ${resource} limit of ${limit}`;
      causes.push(invalidValue(`${at}.resources.requests`, quantity, because));
    }
  }
  return causes;
}

/** A limit without a request is a request too. */
function withRequests(container: Container): Container {
  const { requests, limits } = container.resources ?? {};
  if (limits === undefined) return container;
  const both: Quantities = { ...limits, ...requests };
  return { ...container, resources: { ...container.resources, requests: both } };
}

const PATIENCE_SECONDS = 300;
const PATIENT_OF = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Source: kubernetes v1.36, plugin/pkg/admission/defaulttolerationseconds. */
function withPatience(tolerations: readonly WireToleration[]): readonly WireToleration[] {
  const missing = PATIENT_OF.filter(
    (key) =>
      !tolerations.some(
        (each) =>
          (each.key === undefined || each.key === '' || each.key === key) &&
          (each.effect === undefined || each.effect === 'NoExecute'),
      ),
  );
  const added = missing.map(
    (key): WireToleration => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: PATIENCE_SECONDS,
    }),
  );
  return added.length === 0 ? tolerations : [...tolerations, ...added];
}

type Priority = Pick<PodSpec, 'priority' | 'priorityClassName' | 'preemptionPolicy'>;

const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** Source: kubernetes v1.36, plugin/pkg/admission/priority. */
function priorityOf(spec: PodSpec, store: Store): Priority | undefined {
  const named = spec.priorityClassName ?? '';
  const system = SYSTEM_PRIORITIES[named];
  if (system !== undefined) return { priority: system, preemptionPolicy: 'PreemptLowerPriority' };
  const chosen =
    named === ''
      ? store
          .all('PriorityClass')
          .filter(({ globalDefault }) => globalDefault === true)
          .sort((a, b) => a.value - b.value)[0]
      : store.known('PriorityClass', '', named);
  if (chosen === undefined) {
    return named === '' ? { priority: 0, preemptionPolicy: 'PreemptLowerPriority' } : undefined;
  }
  return {
    priority: chosen.value,
    priorityClassName: chosen.metadata.name,
    preemptionPolicy: spec.preemptionPolicy ?? chosen.preemptionPolicy ?? 'PreemptLowerPriority',
  };
}

/** What an update of a pod may not do. Source: kubernetes v1.36, apis/core/validation. */
export function podChangeCauses(
  next: PodObject,
  current: PodObject,
  subresource: 'status' | undefined,
): readonly Cause[] {
  return subresource === 'status' ? statusCauses(next, current) : specCauses(next, current);
}

function statusCauses({ status }: PodObject, current: PodObject): readonly Cause[] {
  const nominated = status.nominatedNodeName ?? '';
  if (nominated === (current.status.nominatedNodeName ?? '') || nominated === '') return [];
  const field = 'status.nominatedNodeName';
  if ((current.spec.nodeName ?? '') !== '') {
    const because = 'may not be set on pods that are already bound to a node';
    return [forbiddenValue(field, because)];
  }
  return isSubdomain(nominated) ? [] : [invalidValue(field, nominated, 'not the name of a node')];
}

function specCauses(next: PodObject, current: PodObject): readonly Cause[] {
  if (sameJson(mutable(next.spec, current.spec), current.spec)) return [];
  const because =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [forbiddenValue('spec', because)];
}

/** `next` with everything that may change put back to what it was. */
function mutable(next: PodSpec, current: PodSpec): unknown {
  const images = (list: readonly Container[] | undefined, old: readonly Container[] | undefined) =>
    list?.map((container, index) => ({ ...container, image: old?.[index]?.image }));
  const had = current.tolerations ?? [];
  const grown = had.every((each) => next.tolerations?.some((other) => sameJson(each, other)));
  const gates = current.schedulingGates ?? [];
  const opened = (next.schedulingGates ?? []).every(({ name }) =>
    gates.some((gate) => gate.name === name),
  );
  return {
    ...next,
    containers: images(next.containers, current.containers),
    ...(next.initContainers === undefined
      ? {}
      : { initContainers: images(next.initContainers, current.initContainers) }),
    ...(grown ? { tolerations: current.tolerations } : {}),
    ...(opened ? { schedulingGates: current.schedulingGates } : {}),
    ...('activeDeadlineSeconds' in next || 'activeDeadlineSeconds' in current
      ? { activeDeadlineSeconds: recordedDeadline(current) }
      : {}),
  };
}

const recordedDeadline = (spec: PodSpec): unknown =>
  'activeDeadlineSeconds' in spec ? spec.activeDeadlineSeconds : undefined;
