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
 * Reads user data as nodeadm (AL2023) and bootstrap.sh (AL2) would: kubelet flags for labels and
 * taints, maxPods as a flag or in the kubelet's configuration. Everything else is of no use here.
 */
export function readRegistration(userData: string): NodeRegistration {
  const text = Buffer.from(userData, 'base64').toString('utf8');
  const flag = (name: string): string =>
    new RegExp(`--${name}=["']?([^\\s"']+)`).exec(text)?.[1] ?? '';
  const maxPods = /maxPods["']?:\s*(\d+)/.exec(text)?.[1] ?? flag('max-pods');
  return {
    labels: Object.fromEntries(
      flag('node-labels')
        .split(',')
        .filter((pair) => pair.includes('='))
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    taints: flag('register-with-taints').split(',').filter(Boolean).map(readTaint),
    maxPods: maxPods === '' ? USUAL_MAX_PODS : Number(maxPods),
  };
}

/** karpenter.sh/unregistered:NoExecute, or with a value: dedicated=gpu:NoSchedule. */
function readTaint(text: string): Taint {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  return { key, effect, ...(value !== undefined && value !== '' && { value }) };
}
