import type { DecodeResult, SnapshotKind } from '#lib/kube/decode/decode.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { readKinds } from '#lib/observe/warm-objects.ts';
import { type ApiBench, anApi } from './api-bench.ts';

/** What becomes of the streams of the next look: each in turn, as long as there are any left. */
export interface StreamFault {
  readonly afterLines: number;
  readonly how: 'ends' | 'breaks';
}

/** An embedded API server with one transport that is kept and knows what it was asked. */
export interface WarmWorld extends ApiBench {
  /** Looks with what is kept from the look before. */
  readonly lookWarm: (faults?: readonly StreamFault[]) => Promise<DecodeResult>;
  /** Looks as somebody who was never here. */
  readonly lookCold: () => Promise<DecodeResult>;
  /** Requests of warm looks since this was last asked: "list pods", "watch pods", with versions. */
  readonly asked: () => readonly string[];
}

const KINDS: readonly SnapshotKind[] = ['Pod', 'PodDisruptionBudget', 'PriorityClass'];

/** A cluster with nothing in it; kinds with more objects than `watchedAbove` are watched. */
export function aWarmWorld(watchedAbove = -1): WarmWorld {
  const api = anApi();
  const requests: string[] = [];
  let faults: readonly StreamFault[] = [];
  const kept: KubeTransport = (request) => {
    const isWatch = request.query?.watch !== undefined;
    requests.push(`${isWatch ? 'watch' : 'list'} ${request.path.split('/').at(-1)}`);
    if (!isWatch) return api.kube(request);
    const [fault, ...later] = faults;
    faults = later;
    return fault === undefined ? api.kube(request) : disturbed(api.kube, request, fault);
  };
  const refuse = (error: unknown): never => {
    throw error;
  };
  const look = (kube: KubeTransport) =>
    api.through(
      readKinds(
        kube,
        KINDS.map((kind) => ({ kind, ifMissing: refuse })),
        () => watchedAbove,
      ),
    );
  return {
    ...api,
    lookWarm: (next = []) => {
      faults = next;
      return look(kept);
    },
    lookCold: () => look((request) => api.kube(request)),
    asked: () => requests.splice(0),
  };
}

async function disturbed(
  kube: KubeTransport,
  request: Parameters<KubeTransport>[0],
  { afterLines, how }: StreamFault,
): ReturnType<KubeTransport> {
  let heard = 0;
  const answer = await kube({
    ...request,
    onLine: (line) => {
      if (heard === afterLines) return 'enough';
      heard += 1;
      return request.onLine?.(line) ?? 'enough';
    },
  });
  if (how === 'breaks') throw new Error('socket hang up');
  return answer;
}
