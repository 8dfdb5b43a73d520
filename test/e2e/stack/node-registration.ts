import { parse } from 'yaml';

/** What a kubelet tells of its node when it registers, as its user data says. */
export interface NodeRegistration {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Of a type that nothing is said of. Source: kubelet, the default of maxPods. */
const USUAL_MAX_PODS = 110;

/**
 * Reads user data as nodeadm (AL2023: a NodeConfig in a MIME part) and bootstrap.sh (AL2: flags)
 * would. Everything else in it is of no use here.
 */
export function readRegistration(userData: string): NodeRegistration {
  const text = Buffer.from(userData, 'base64').toString('utf8');
  const flag = (name: string): string =>
    new RegExp(`--${name}=["']?([^\\s"']+)`).exec(text)?.[1] ?? '';
  const config = kubeletConfig(text);
  return {
    labels: Object.fromEntries(
      flag('node-labels')
        .split(',')
        .filter((pair) => pair.includes('='))
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    taints: [
      ...(config.registerWithTaints ?? []),
      ...flag('register-with-taints').split(',').filter(Boolean).map(readTaint),
    ],
    maxPods: config.maxPods ?? Number(flag('max-pods') || USUAL_MAX_PODS),
  };
}

interface KubeletConfig {
  readonly registerWithTaints?: readonly Taint[];
  readonly maxPods?: number;
}

/** What nodeadm merges of all the NodeConfigs: the last word wins. */
function kubeletConfig(text: string): KubeletConfig {
  const boundary = /boundary="([^"]+)"/.exec(text)?.[1];
  const parts = boundary === undefined ? [text] : text.split(`--${boundary}`);
  const configs = parts
    .filter((part) => part.includes('kind: NodeConfig'))
    .map((part) => parse(part.slice(part.indexOf('apiVersion:'))));
  return Object.assign({}, ...configs.map(({ spec }) => spec?.kubelet?.config));
}

/** karpenter.sh/unregistered:NoExecute, or with a value: dedicated=gpu:NoSchedule. */
function readTaint(text: string): Taint {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  return { key, effect, ...(value !== undefined && value !== '' && { value }) };
}
