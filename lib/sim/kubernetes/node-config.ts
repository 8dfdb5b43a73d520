/**
 * User data as an AL2023 machine reads it: nodeadm takes the NodeConfigs out of a MIME archive,
 * merges them in order and starts the kubelet by them. Shell parts are taken as run without effect.
 * Other image families (bootstrap.sh, Bottlerocket's TOML, PowerShell) are not played: their user
 * data holds no NodeConfig, so such a machine never joins, and the journal says so.
 */
import { parse } from 'yaml';
import { isRecord, type JsonRecord, recordAt, textAt } from './json.ts';
import type { StringMap, WireTaint } from './wire.ts';

/** What a machine was told about the cluster and about its node. */
export interface NodeConfig {
  readonly clusterName: string;
  readonly endpoint: string;
  readonly labels: StringMap;
  readonly taints: readonly WireTaint[];
  /** KubeletConfiguration, as far as the user data says something. */
  readonly kubelet: JsonRecord;
  /** Instance storage is the node's own storage. */
  readonly usesLocalDisks: boolean;
}

/** Why a machine does not join. */
export interface BadUserData {
  readonly problem: string;
}

/** What `userData` tells the machine, or why nodeadm or the kubelet gives up on it. */
export function readNodeConfig(userData: string): NodeConfig | BadUserData {
  const texts = nodeConfigTexts(userData);
  if (texts.length === 0) return { problem: 'the user data holds no NodeConfig for nodeadm' };
  let spec: JsonRecord = {};
  for (const text of texts) {
    const config = parseYaml(text);
    if (!isRecord(config) || config.kind !== 'NodeConfig') {
      return { problem: 'a node.eks.aws part of the user data is not a NodeConfig' };
    }
    spec = mergeConfigs(spec, recordAt(config, 'spec'));
  }
  return nodeConfig(spec);
}

function nodeConfig(spec: JsonRecord): NodeConfig | BadUserData {
  const cluster = recordAt(spec, 'cluster');
  for (const field of ['name', 'apiServerEndpoint', 'certificateAuthority', 'cidr']) {
    if ((textAt(cluster, field) ?? '') === '') {
      return { problem: `nodeadm: spec.cluster.${field} is missing in the NodeConfig` };
    }
  }
  const kubelet = recordAt(spec, 'kubelet');
  const flags = flagsOf(kubelet.flags);
  const labels = labelsOf(flags.get('node-labels') ?? '');
  const config = recordAt(kubelet, 'config');
  const taints = [
    ...taintsOf(config.registerWithTaints),
    ...(flags.get('register-with-taints') ?? '').split(',').filter(Boolean).map(taintOfText),
  ];
  const strange = Object.keys(labels).filter((key) => !maySelfSet(key));
  if (strange.length > 0) {
    return {
      problem: `kubelet: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${strange.join(' ')}]`,
    };
  }
  const maxPods = flags.get('max-pods');
  return {
    clusterName: textAt(cluster, 'name') ?? '',
    endpoint: textAt(cluster, 'apiServerEndpoint') ?? '',
    labels,
    taints,
    kubelet: maxPods === undefined ? config : { ...config, maxPods: Number(maxPods) },
    usesLocalDisks: 'strategy' in recordAt(recordAt(spec, 'instance'), 'localStorage'),
  };
}

const isMime = (text: string): boolean => /^(MIME-Version|Content-Type):/i.test(text.trimStart());

function nodeConfigTexts(userData: string): readonly string[] {
  if (!isMime(userData)) return /kind:\s*NodeConfig/.test(userData) ? [userData] : [];
  return mimeParts(userData)
    .filter(({ headers }) => /application\/node\.eks\.aws/i.test(headers))
    .map(({ headers, body }) =>
      /content-transfer-encoding:\s*base64/i.test(headers)
        ? Buffer.from(body, 'base64').toString()
        : body,
    );
}

interface Part {
  readonly headers: string;
  readonly body: string;
}

function mimeParts(text: string): readonly Part[] {
  const { headers, body } = splitHeaders(text.replaceAll('\r\n', '\n').trimStart());
  const [, quoted, bare] = /boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(headers) ?? [];
  const boundary = quoted ?? bare ?? '';
  if (boundary === '') return [];
  const [archive = ''] = `\n${body}`.split(`\n--${boundary}--`);
  return archive
    .split(`\n--${boundary}\n`)
    .slice(1)
    .map((part) => splitHeaders(part));
}

function splitHeaders(text: string): Part {
  if (text.startsWith('\n')) return { headers: '', body: text.slice(1) };
  const end = text.indexOf('\n\n');
  if (end < 0) return { headers: text, body: '' };
  return { headers: text.slice(0, end), body: text.slice(end + 2) };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { version: '1.1', logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

/** Later wins, objects merge, flags add up. Source: nodeadm, NodeConfig merge. */
function mergeConfigs(earlier: JsonRecord, later: JsonRecord): JsonRecord {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [key, value] of Object.entries(later)) {
    const old = merged[key];
    if (isRecord(old) && isRecord(value)) merged[key] = mergeConfigs(old, value);
    else if (key === 'flags' && Array.isArray(old) && Array.isArray(value)) {
      merged[key] = [...old, ...value];
    } else if (value !== null) merged[key] = value;
  }
  return merged;
}

function flagsOf(list: unknown): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (const item of Array.isArray(list) ? list : []) {
    const [, name, value] = /^--([^=]+)=(.*)$/s.exec(String(item)) ?? [];
    if (name !== undefined && value !== undefined)
      flags.set(name, value.replace(/^"(.*)"$/s, '$1'));
  }
  return flags;
}

function labelsOf(list: string): StringMap {
  const labels: Record<string, string> = {};
  for (const pair of list.split(',').filter(Boolean)) {
    const at = pair.indexOf('=');
    labels[at < 0 ? pair : pair.slice(0, at)] = at < 0 ? '' : pair.slice(at + 1);
  }
  return labels;
}

function taintsOf(list: unknown): readonly WireTaint[] {
  return (Array.isArray(list) ? list : []).filter(isRecord).map((taint) => {
    const value = textAt(taint, 'value') ?? '';
    return {
      key: textAt(taint, 'key') ?? '',
      ...(value === '' ? {} : { value }),
      effect: effectOf(textAt(taint, 'effect')),
    };
  });
}

function taintOfText(text: string): WireTaint {
  const [, key = text, value = '', effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  return { key, ...(value === '' ? {} : { value }), effect: effectOf(effect) };
}

const effectOf = (text: string | undefined): WireTaint['effect'] =>
  text === 'NoExecute' || text === 'PreferNoSchedule' ? text : 'NoSchedule';

const SELF_SET = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
]);
const SELF_SET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** Source: kubernetes v1.36, cmd/kubelet/app/options, and kubelet/apis well_known_labels.go. */
function maySelfSet(key: string): boolean {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  const isReserved = ['kubernetes.io', 'k8s.io'].some(
    (root) => domain === root || domain.endsWith(`.${root}`),
  );
  if (!isReserved || SELF_SET.has(key)) return true;
  return SELF_SET_DOMAINS.some((root) => domain === root || domain.endsWith(`.${root}`));
}
