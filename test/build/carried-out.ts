/** A cluster as it is once a consolidation has been carried out, as planned and at once. */
import { specsOfRequirements } from '#lib/constraints/requirements.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import { conditionsUpTo } from './node-claims.ts';
import { aCondition } from './node-pools.ts';
import { aMeta } from './objects.ts';

const SETTLED = [...conditionsUpTo('Initialized'), aCondition('Consolidatable')];

/**
 * `snapshot` after the commands: members gone, their pods where the commands say, each replacement
 * the cheapest thing that it may be. `round` keeps names of new nodes apart.
 */
export function carriedOut(
  snapshot: Snapshot,
  commands: readonly DraftCommand[],
  round: number,
): Snapshot {
  const gone = new Set(commands.flatMap(({ members }) => members.map(({ state }) => state.name)));
  const coming = new Map<string, Pod[]>();
  for (const { pod, host } of commands.flatMap(({ placements }) => placements)) {
    coming.set(host, [...(coming.get(host) ?? []), pod]);
  }
  const stay = snapshot.nodes
    .filter(({ name }) => !gone.has(name))
    .map((state) => {
      const more = coming.get(state.name);
      return more ? { ...state, pods: [...state.pods, ...more.map(on(state.name))] } : state;
    });
  const made = commands
    .flatMap(({ replacements }) => replacements)
    .map((sealed, at) => nodeOf(sealed, `new-${round}-${at}`, snapshot.takenAt));
  const nodes = [...stay, ...made].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...snapshot, nodes };
}

const on =
  (nodeName: string) =>
  (pod: Pod): Pod => ({ ...pod, nodeName });

function nodeOf(sealed: SealedClaim, name: string, now: number): StateNode {
  const { source, requirements, requests, cheapest, pods } = sealed;
  const { template } = source.nodePool;
  const type = source.types.find(({ type: { name } }) => name === cheapest.instanceType)?.type;
  if (!type) throw new Error(`expected the type ${cheapest.instanceType}, found none`);
  const own = [...type.requirements, ...cheapest.offering.requirements].flatMap(([key, values]) =>
    !values.complement && values.values.size === 1 ? [[key, [...values.values][0]] as const] : [],
  );
  const labels: Record<string, string> = {
    ...template.labels,
    ...Object.fromEntries(own.map(([key, value]) => [key, value ?? ''])),
    'karpenter.sh/nodepool': source.name,
    'karpenter.k8s.aws/ec2nodeclass': template.nodeClassRef.name,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'kubernetes.io/hostname': name,
  };
  const providerId = `aws:///${cheapest.offering.zone}/i-${name}`;
  const { allocatable, capacity } = type;
  return {
    name,
    pods: pods.map(on(name)),
    node: {
      meta: aMeta(name, { labels, createdAt: now }),
      providerId,
      taints: template.taints,
      unschedulable: false,
      capacity,
      allocatable,
      ready: { status: 'True', changedAt: now },
    },
    claim: {
      meta: aMeta(`claim-${name}`, { labels, createdAt: now }),
      spec: {
        taints: template.taints,
        startupTaints: template.startupTaints,
        requirements: specsOfRequirements(requirements),
        requests,
        nodeClassRef: template.nodeClassRef,
        expireAfter: template.expireAfter,
      },
      status: { nodeName: name, providerId, capacity, allocatable, conditions: SETTLED },
    },
  };
}
