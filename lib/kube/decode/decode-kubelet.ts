import type { KubeletSettings } from '#lib/model/node-class.ts';
import { DecodeError, type Decoder, listOf, present, type Wire, wire } from './field.ts';
import { flag, integer, numberOrText, text } from './scalar.ts';

/**
 * The kubelet settings that we read. The CRD takes any object here, so a field of the wrong type is
 * left out rather than refused: the NodeClass's validation names it, from the spec as written.
 */
export const decodeKubelet: Decoder<KubeletSettings> = (value) => {
  const kubelet = wire(value);
  return present({
    clusterDNS: readable(kubelet, 'clusterDNS', listOf(text)),
    maxPods: readable(kubelet, 'maxPods', integer),
    maxPodsExpression: readable(kubelet, 'maxPods', text),
    podsPerCore: readable(kubelet, 'podsPerCore', integer),
    systemReserved: readable(kubelet, 'systemReserved', readableEntries),
    kubeReserved: readable(kubelet, 'kubeReserved', readableEntries),
    evictionHard: readable(kubelet, 'evictionHard', readableEntries),
    evictionSoft: readable(kubelet, 'evictionSoft', readableEntries),
    evictionSoftGracePeriod: readable(kubelet, 'evictionSoftGracePeriod', readableEntries),
    evictionMaxPodGracePeriod: readable(kubelet, 'evictionMaxPodGracePeriod', integer),
    imageGCHighThresholdPercent: readable(kubelet, 'imageGCHighThresholdPercent', integer),
    imageGCLowThresholdPercent: readable(kubelet, 'imageGCLowThresholdPercent', integer),
    cpuCFSQuota: readable(kubelet, 'cpuCFSQuota', flag),
  });
};

function readable<Value>(of: Wire, key: string, decode: Decoder<Value>): Value | undefined {
  try {
    return of[key] === null ? undefined : decode(of[key]);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** The entries of a map that are texts or numbers, as texts. */
const readableEntries: Decoder<Readonly<Record<string, string>>> = (value) => {
  const entries = wire(value);
  return present(
    Object.fromEntries(
      Object.keys(entries).map((key) => [key, readable(entries, key, numberOrText)]),
    ),
  ) as Readonly<Record<string, string>>;
};
