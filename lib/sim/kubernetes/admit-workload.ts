/** Defaults and validation of workloads and budgets, as far as their controllers rely on them. */
import { selects } from '#lib/constraints/label-selector.ts';
import { podCauses } from './admit-pod.ts';
import { isRecord, recordAt, sameJson } from './json.ts';
import { selectorOf } from './selector-of.ts';
import { type Cause, forbiddenValue, invalidValue } from './status.ts';
import type { KubeObject, PodTemplate, WireSelector } from './wire.ts';

const REPLICATED = ['Deployment', 'ReplicaSet', 'StatefulSet'];
const TEMPLATED = [...REPLICATED, 'DaemonSet', 'Job'];

/** A built-in object with the defaults that controllers count on. */
export function admitWorkload(object: KubeObject): KubeObject {
  const spec = isRecord(object.spec) ? object.spec : {};
  const status = object.status ?? {};
  if (REPLICATED.includes(object.kind)) {
    return { ...object, spec: { replicas: 1, ...spec }, status };
  }
  if (object.kind === 'Job') return { ...object, spec: jobSpec(object, spec), status };
  if (object.kind === 'DaemonSet' || object.kind === 'PodDisruptionBudget') {
    return { ...object, status };
  }
  if (object.kind === 'PersistentVolumeClaim') {
    return { ...object, status: { phase: 'Pending', ...recordAt(object, 'status') } };
  }
  return object;
}

/** Source: kubernetes v1.36, registry/batch/job, generateSelector; apis/batch/v1 defaults. */
function jobSpec({ metadata }: KubeObject, spec: Readonly<Record<string, unknown>>): unknown {
  const open = spec.completions === undefined && spec.parallelism === undefined;
  const defaulted = {
    backoffLimit: 6,
    parallelism: 1,
    ...(open ? { completions: 1 } : {}),
    ...spec,
  };
  if (spec.selector !== undefined) return defaulted;
  const own = {
    'batch.kubernetes.io/controller-uid': metadata.uid,
    'batch.kubernetes.io/job-name': metadata.name,
    'controller-uid': metadata.uid,
    'job-name': metadata.name,
  };
  const template = recordAt(spec, 'template');
  const meta = recordAt(template, 'metadata');
  return {
    ...defaulted,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } },
    template: {
      ...template,
      metadata: { ...meta, labels: { ...recordAt(meta, 'labels'), ...own } },
    },
  };
}

/** What is wrong with a workload or a budget; with `current`, as an update of it. */
export function workloadCauses(object: KubeObject, current?: KubeObject): readonly Cause[] {
  if (object.kind === 'PodDisruptionBudget') return budgetCauses(object);
  if (!TEMPLATED.includes(object.kind)) return [];
  const spec = object.spec as TemplatedSpec;
  return [
    ...selectorCauses(spec),
    ...countCauses(spec),
    ...podCauses(spec.template.spec, 'spec.template.spec'),
    ...restartCauses(object.kind, spec),
    ...(current === undefined ? [] : immutableCauses(object, current)),
  ];
}

interface TemplatedSpec {
  readonly replicas?: number;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly selector: WireSelector;
  readonly template: PodTemplate;
}

function selectorCauses({ selector, template }: TemplatedSpec): readonly Cause[] {
  const labels = template.metadata?.labels ?? {};
  const isEmpty =
    Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0;
  if (isEmpty) {
    const because = 'empty selector is invalid for deployment';
    return [invalidValue('spec.selector', selector, because)];
  }
  if (selects(selectorOf(selector), labels)) return [];
  const because = '`selector` does not match template `labels`';
  return [invalidValue('spec.template.metadata.labels', labels, because)];
}

function countCauses(spec: TemplatedSpec): readonly Cause[] {
  const causes: Cause[] = [];
  for (const field of ['replicas', 'parallelism', 'completions'] as const) {
    const count = spec[field];
    if (count !== undefined && count < 0) {
      causes.push(invalidValue(`spec.${field}`, count, 'must be greater than or equal to 0'));
    }
  }
  return causes;
}

function restartCauses(kind: string, { template }: TemplatedSpec): readonly Cause[] {
  const policy = template.spec.restartPolicy ?? 'Always';
  const isRight = kind === 'Job' ? policy !== 'Always' : policy === 'Always';
  if (isRight) return [];
  const supported = kind === 'Job' ? '"OnFailure", "Never"' : '"Always"';
  const field = 'spec.template.spec.restartPolicy';
  const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: ${supported}`;
  return [{ reason: 'FieldValueNotSupported', message, field }];
}

function immutableCauses(object: KubeObject, current: KubeObject): readonly Cause[] {
  const fields = object.kind === 'Job' ? ['selector', 'template', 'completions'] : ['selector'];
  const [next, old] = [recordAt(object, 'spec'), recordAt(current, 'spec')];
  return fields
    .filter((field) => !sameJson(next[field], old[field]))
    .map((field) => invalidValue(`spec.${field}`, next[field], 'field is immutable'));
}

function budgetCauses(object: KubeObject): readonly Cause[] {
  const { minAvailable, maxUnavailable } = recordAt(object, 'spec');
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const because = 'minAvailable and maxUnavailable cannot be both set';
    return [invalidValue('spec', { minAvailable, maxUnavailable }, because)];
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (typeof value === 'string' && !/^\d+%$/.test(value)) {
      const because = 'a valid percent string must be a numeric string followed by an ending %';
      return [invalidValue(`spec.${field}`, value, because)];
    }
    if (typeof value === 'number' && value < 0) {
      return [forbiddenValue(`spec.${field}`, 'must be greater than or equal to 0')];
    }
  }
  return [];
}
