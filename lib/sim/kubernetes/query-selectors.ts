/** Label and field selectors of a request's query: text to predicate, or why it is not one. */
import { isRecord, type JsonRecord } from './json.ts';
import { badRequest, isRefusal, type Refusal } from './status.ts';
import type { KubeObject, StringMap } from './wire.ts';

type LabelTest = (labels: StringMap) => boolean;

/** What a list keeps of all objects. */
export type ObjectTest = (object: KubeObject) => boolean;

const SET_TERM = /^\s*([^\s!=,()]+)\s+(in|notin)\s*\(([^()]*)\)\s*$/;
const EQUALITY_TERM = /^\s*([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)\s*$/;
const EXISTENCE_TERM = /^\s*(!?)\s*([^\s!=,()]+)\s*$/;

/** The test that a labelSelector asks for; 400 where it does not parse. */
export function labelTest(selector: string): ObjectTest | Refusal {
  const tests: LabelTest[] = [];
  for (const term of splitTerms(selector)) {
    const test = labelTermTest(term);
    if (test === undefined) {
      return badRequest(`unable to parse requirement: found '${term.trim()}' in "${selector}"`);
    }
    tests.push(test);
  }
  return ({ metadata }) => {
    const labels = metadata.labels ?? {};
    return tests.every((test) => test(labels));
  };
}

/** Splits at commas that stand outside of parentheses. */
function splitTerms(selector: string): readonly string[] {
  const terms: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < selector.length; index += 1) {
    const character = selector[index];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character !== ',' || depth > 0) continue;
    terms.push(selector.slice(start, index));
    start = index + 1;
  }
  terms.push(selector.slice(start));
  return terms.filter((term) => term.trim() !== '');
}

function labelTermTest(term: string): LabelTest | undefined {
  const [, setKey, operator, list] = SET_TERM.exec(term) ?? [];
  if (setKey !== undefined && list !== undefined) {
    const values = new Set(list.split(',').map((value) => value.trim()));
    return operator === 'in'
      ? (labels) => values.has(labels[setKey] ?? '') && setKey in labels
      : (labels) => !(setKey in labels && values.has(labels[setKey] ?? ''));
  }
  const [, key, sign, value] = EQUALITY_TERM.exec(term) ?? [];
  if (key !== undefined) {
    return sign === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const [, negation, existing] = EXISTENCE_TERM.exec(term) ?? [];
  if (existing === undefined) return undefined;
  return negation === '!' ? (labels) => !(existing in labels) : (labels) => existing in labels;
}

/** Fields that a fieldSelector may name, per kind, beside metadata.name and metadata.namespace. */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Node: ['spec.unschedulable'],
  Namespace: ['status.phase'],
  ReplicaSet: ['status.replicas'],
  Job: ['status.successful'],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'reason',
    'reportingController',
    'reportingComponent',
    'source',
    'type',
  ],
  NodeClaim: nodeClassReference('spec.nodeClassRef'),
  NodePool: nodeClassReference('spec.template.spec.nodeClassRef'),
};

function nodeClassReference(at: string): readonly string[] {
  return [`${at}.group`, `${at}.kind`, `${at}.name`];
}

/** The test that a fieldSelector asks for; 400 for a field that the kind cannot be selected by. */
export function fieldTest(selector: string, kind: string): ObjectTest | Refusal {
  const tests: ObjectTest[] = [];
  for (const term of selector.split(',')) {
    if (term.trim() === '') continue;
    const test = fieldTermTest(term, kind);
    if (isRefusal(test)) return test;
    tests.push(test);
  }
  return (object) => tests.every((test) => test(object));
}

function fieldTermTest(term: string, kind: string): ObjectTest | Refusal {
  const [, field, sign, value] = EQUALITY_TERM.exec(term) ?? [];
  if (field === undefined || value === undefined) {
    return badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  }
  const common = field === 'metadata.name' || field === 'metadata.namespace';
  if (!common && !SELECTABLE[kind]?.includes(field)) {
    return badRequest(`field label not supported: ${field}`);
  }
  const path = storedPath(field).split('.');
  return sign === '!='
    ? (object) => fieldText(object, path) !== value
    : (object) => fieldText(object, path) === value;
}

/** Events are stored in the shape of core/v1. */
function storedPath(field: string): string {
  if (field === 'reportingController') return 'reportingComponent';
  return field.replace(/^regarding\./, 'involvedObject.');
}

function fieldText(object: KubeObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const step of path) value = isRecord(value) ? (value satisfies JsonRecord)[step] : undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  return path.at(-1) === 'unschedulable' ? 'false' : '';
}
