/**
 * Whether the JSON of a built-in kind has the shape that the embedded cluster reads. Fields that
 * are not listed may be anything and are kept, where a real API server would drop the unknown ones.
 */
import { parseAmount } from '#lib/constraints/quantity.ts';
import { isRecord, type JsonRecord } from './json.ts';

/** What a field may be. A list of one shape is a list of that; a name that ends in ! is required. */
type Scalar = 'text' | 'whole' | 'boolean' | 'amounts' | 'texts' | 'numberOrText';
type Shape = Scalar | readonly [Shape] | { readonly [field: string]: Shape };

const SELECTOR: Shape = {
  matchLabels: 'texts',
  matchExpressions: [{ 'key!': 'text', 'operator!': 'text', values: ['text'] }],
};
const NODE_TERM: Shape = {
  matchExpressions: [{ 'key!': 'text', 'operator!': 'text', values: ['text'] }],
  matchFields: [{ 'key!': 'text', 'operator!': 'text', values: ['text'] }],
};
const POD_TERM: Shape = {
  'topologyKey!': 'text',
  labelSelector: SELECTOR,
  namespaces: ['text'],
  namespaceSelector: SELECTOR,
};
const POD_TERMS: Shape = {
  requiredDuringSchedulingIgnoredDuringExecution: [POD_TERM],
  preferredDuringSchedulingIgnoredDuringExecution: [
    { 'weight!': 'whole', 'podAffinityTerm!': POD_TERM },
  ],
};
const CONTAINER: Shape = {
  'name!': 'text',
  image: 'text',
  command: ['text'],
  args: ['text'],
  restartPolicy: 'text',
  resources: { requests: 'amounts', limits: 'amounts' },
  ports: [{ containerPort: 'whole', hostPort: 'whole', hostIP: 'text', protocol: 'text' }],
  readinessProbe: { initialDelaySeconds: 'whole' },
};
const TOLERATION: Shape = {
  key: 'text',
  operator: 'text',
  value: 'text',
  effect: 'text',
  tolerationSeconds: 'whole',
};
const POD_SPEC: Shape = {
  'containers!': [CONTAINER],
  initContainers: [CONTAINER],
  overhead: 'amounts',
  nodeName: 'text',
  schedulerName: 'text',
  nodeSelector: 'texts',
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { 'nodeSelectorTerms!': [NODE_TERM] },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { 'weight!': 'whole', 'preference!': NODE_TERM },
      ],
    },
    podAffinity: POD_TERMS,
    podAntiAffinity: POD_TERMS,
  },
  tolerations: [TOLERATION],
  topologySpreadConstraints: [
    {
      'maxSkew!': 'whole',
      'topologyKey!': 'text',
      'whenUnsatisfiable!': 'text',
      labelSelector: SELECTOR,
      minDomains: 'whole',
      matchLabelKeys: ['text'],
      nodeAffinityPolicy: 'text',
      nodeTaintsPolicy: 'text',
    },
  ],
  resources: { requests: 'amounts', limits: 'amounts' },
  priority: 'whole',
  priorityClassName: 'text',
  preemptionPolicy: 'text',
  terminationGracePeriodSeconds: 'whole',
  restartPolicy: 'text',
  hostNetwork: 'boolean',
  volumes: [{ 'name!': 'text', persistentVolumeClaim: { 'claimName!': 'text' } }],
  schedulingGates: [{ 'name!': 'text' }],
};
const TEMPLATE: Shape = { metadata: { labels: 'texts', annotations: 'texts' }, 'spec!': POD_SPEC };
const CONDITIONS: Shape = [{ 'type!': 'text', 'status!': 'text', reason: 'text', message: 'text' }];
const WORKLOAD: Shape = {
  'spec!': { replicas: 'whole', 'selector!': SELECTOR, 'template!': TEMPLATE },
  status: { conditions: CONDITIONS },
};

const SHAPES: Readonly<Record<string, Shape>> = {
  Pod: {
    'spec!': POD_SPEC,
    status: { phase: 'text', nominatedNodeName: 'text', conditions: CONDITIONS },
  },
  Node: {
    spec: {
      providerID: 'text',
      unschedulable: 'boolean',
      taints: [{ 'key!': 'text', value: 'text', 'effect!': 'text', timeAdded: 'text' }],
    },
    status: { capacity: 'amounts', allocatable: 'amounts', conditions: CONDITIONS },
  },
  ConfigMap: { data: 'texts', binaryData: 'texts' },
  Deployment: {
    'spec!': {
      replicas: 'whole',
      'selector!': SELECTOR,
      'template!': TEMPLATE,
      paused: 'boolean',
      strategy: {
        type: 'text',
        rollingUpdate: { maxSurge: 'numberOrText', maxUnavailable: 'numberOrText' },
      },
    },
    status: { conditions: CONDITIONS },
  },
  ReplicaSet: WORKLOAD,
  DaemonSet: WORKLOAD,
  StatefulSet: {
    'spec!': {
      replicas: 'whole',
      'selector!': SELECTOR,
      'template!': TEMPLATE,
      podManagementPolicy: 'text',
      volumeClaimTemplates: [{ 'metadata!': { 'name!': 'text', labels: 'texts' } }],
    },
  },
  Job: {
    'spec!': {
      parallelism: 'whole',
      completions: 'whole',
      backoffLimit: 'whole',
      suspend: 'boolean',
      'template!': TEMPLATE,
    },
    status: { conditions: CONDITIONS },
  },
  PodDisruptionBudget: {
    'spec!': {
      minAvailable: 'numberOrText',
      maxUnavailable: 'numberOrText',
      selector: SELECTOR,
      unhealthyPodEvictionPolicy: 'text',
    },
    status: { disruptedPods: 'texts', disruptionsAllowed: 'whole', conditions: CONDITIONS },
  },
  PriorityClass: { 'value!': 'whole', globalDefault: 'boolean', preemptionPolicy: 'text' },
  PersistentVolumeClaim: {
    'spec!': { storageClassName: 'text', volumeName: 'text', resources: { requests: 'amounts' } },
  },
  PersistentVolume: {
    'spec!': { nodeAffinity: { required: { 'nodeSelectorTerms!': [NODE_TERM] } } },
  },
  StorageClass: {
    'provisioner!': 'text',
    volumeBindingMode: 'text',
    allowedTopologies: [{ matchLabelExpressions: [{ 'key!': 'text', 'values!': ['text'] }] }],
  },
};

const METADATA: Shape = {
  name: 'text',
  generateName: 'text',
  namespace: 'text',
  uid: 'text',
  resourceVersion: 'text',
  labels: 'texts',
  annotations: 'texts',
  finalizers: ['text'],
  ownerReferences: [
    {
      'apiVersion!': 'text',
      'kind!': 'text',
      'name!': 'text',
      'uid!': 'text',
      controller: 'boolean',
      blockOwnerDeletion: 'boolean',
    },
  ],
};

/** What is wrong with the shape of `object`, the first thing only; undefined where nothing is. */
export function shapeProblem(kind: string, object: unknown): string | undefined {
  const metadata = isRecord(object) ? object.metadata : undefined;
  const shape = SHAPES[kind];
  return (
    problemOf(metadata ?? {}, METADATA, 'metadata') ??
    (shape === undefined ? undefined : problemOf(object, shape, ''))
  );
}

function problemOf(value: unknown, shape: Shape, path: string): string | undefined {
  if (typeof shape === 'string') return scalarProblem(value, shape, path);
  if (isList(shape)) return listProblem(value, shape[0], path);
  if (!isRecord(value)) return told(path, value, 'an object');
  for (const [name, inner] of Object.entries(shape)) {
    const problem = fieldProblem(value, name, inner, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem(
  record: JsonRecord,
  name: string,
  shape: Shape,
  path: string,
): string | undefined {
  const field = name.replace('!', '');
  const at = path === '' ? field : `${path}.${field}`;
  const found = record[field];
  if (found !== undefined && found !== null) return problemOf(found, shape, at);
  return name.endsWith('!') ? `${at}: Required value` : undefined;
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

function listProblem(value: unknown, item: Shape, path: string): string | undefined {
  if (!Array.isArray(value)) return told(path, value, 'a list');
  for (const [index, each] of value.entries()) {
    const problem = problemOf(each, item, `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function scalarProblem(value: unknown, shape: Scalar, path: string): string | undefined {
  switch (shape) {
    case 'text':
      return typeof value === 'string' ? undefined : told(path, value, 'a string');
    case 'whole':
      return Number.isInteger(value) ? undefined : told(path, value, 'a whole number');
    case 'boolean':
      return typeof value === 'boolean' ? undefined : told(path, value, 'true or false');
    case 'numberOrText':
      return isAmount(value) ? undefined : told(path, value, 'a number or a percentage');
    case 'amounts':
    case 'texts':
      return mapProblem(value, shape, path);
  }
}

const isAmount = (value: unknown): value is string | number =>
  typeof value === 'number' || typeof value === 'string';

function mapProblem(value: unknown, shape: 'amounts' | 'texts', path: string): string | undefined {
  if (!isRecord(value)) return told(path, value, 'an object');
  for (const [key, item] of Object.entries(value)) {
    const at = `${path}[${key}]`;
    if (shape === 'texts' && typeof item !== 'string') return told(at, item, 'a string');
    if (shape === 'amounts' && !(isAmount(item) && parseAmount(key, item) !== undefined)) {
      return told(at, item, 'a quantity');
    }
  }
  return undefined;
}

const told = (path: string, found: unknown, expected: string): string =>
  `${path === '' ? 'the object' : path}: found ${JSON.stringify(found)}, expected ${expected}`;
