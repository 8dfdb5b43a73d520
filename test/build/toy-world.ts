import { advance } from '#lib/lifecycle/advance.ts';
import { withCondition } from '#lib/model/conditions.ts';
import type { Instance } from '#lib/model/instance.ts';
import type { Launch } from '#lib/model/launch.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { formatInstant } from '#lib/model/time.ts';
import { anInstance } from './instances.ts';
import { aNewClaim } from './node-claims.ts';
import { aNode } from './nodes.ts';
import { NOON, SECOND } from './objects.ts';
import { afterWrite, quietWorld } from './quiet-world.ts';

/** What goes wrong, and when: numbers of calls, counted from the first. */
export interface Misfortune {
  /** Calls at which the caller dies: before the effect, or after it and before the answer. */
  readonly crashes: ReadonlyMap<number, 'before' | 'after'>;
  /** How many instances each new fleet can get, in turn; then as many as it asks for. */
  readonly capacities: readonly number[];
  /** Why fleets that get nothing fail: for want of capacity, or for another reason. */
  readonly failsOtherwise: boolean;
  /** How late an instance is listed. */
  readonly lagMs: number;
  /** NodeClaims, by name, that somebody deletes: at which look. */
  readonly deletions: ReadonlyMap<string, number>;
}

export const NO_MISFORTUNE: Misfortune = {
  crashes: new Map(),
  capacities: [],
  failsOtherwise: false,
  lagMs: 0,
  deletions: new Map(),
};

class Crash extends Error {}

const BASE = quietWorld();

const BOOT_MS = 20 * SECOND;
const SHUTDOWN_MS = 8 * SECOND;

interface Machine {
  readonly instance: Instance;
  readonly visibleAt: number;
  goneAt?: number;
}

/**
 * NodeClaims, Nodes and EC2 as small as they can be, for the laws of a NodeClaim's life: every
 * call can be the caller's last, every listing can be late. It judges nothing; it keeps count.
 */
export function toyWorld(groups: readonly (readonly string[])[], misfortune: Misfortune) {
  let now = NOON;
  let calls = 0;
  let looks = 0;
  let claims: readonly NodeClaim[] = groups.flatMap((names, at) =>
    names.map((name) =>
      aNewClaim({
        meta: {
          name,
          createdAt: NOON,
          finalizers: ['karpenter.sh/termination'],
          annotations: { 'joinery.dev/launch-group': `g${at}/${names.length}` },
        },
        status: {},
      }),
    ),
  );
  claims = claims.map(unlabelled);
  let nodes: readonly Node[] = [];
  let { nodePools } = BASE;
  const machines = new Map<string, Machine>();
  const fleets = new Map<string, { readonly ids: readonly string[] }>();
  const told: string[] = [];

  /** One call over the network. */
  function call<T>(effect: () => T): T {
    const fate = misfortune.crashes.get(calls);
    calls += 1;
    if (fate === 'before') throw new Crash('before');
    const answer = effect();
    if (fate === 'after') throw new Crash('after');
    return answer;
  }

  const isAlive = ({ goneAt }: Machine) => goneAt === undefined || goneAt > now;

  function observe(): Snapshot {
    const states = [
      ...nodes.map((node) => ({ name: node.meta.name, node, claim: holderOf(node), pods: [] })),
      ...claims
        .filter(({ status }) => !nodes.some(({ providerId }) => providerId === status.providerId))
        .map((claim) => ({ name: claim.meta.name, claim, pods: [] })),
    ];
    const visible = [...machines.values()].filter(
      (machine) => isAlive(machine) && machine.visibleAt <= now,
    );
    return {
      ...BASE,
      nodePools,
      takenAt: now,
      nodes: states.map(({ claim, ...state }) => ({ ...state, ...(claim ? { claim } : {}) })),
      instances: visible
        .map(({ instance, goneAt }) =>
          goneAt === undefined ? instance : { ...instance, state: 'shutting-down' as const },
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    };
  }

  const holderOf = ({ providerId }: Node) =>
    claims.find(({ status }) => status.providerId === providerId);

  function createFleet(launch: Launch): {
    readonly ids: readonly string[];
    readonly soldOut: boolean;
  } {
    const known = fleets.get(launch.clientToken);
    if (known) return { ...known, soldOut: !misfortune.failsOtherwise };
    const capacity = misfortune.capacities[fleets.size] ?? launch.claims.length;
    const ids = Array.from({ length: Math.min(capacity, launch.claims.length) }, (_, at) => {
      const id = `i-${String(machines.size + at).padStart(4, '0')}`;
      const instance = anInstance({
        id,
        launchedAt: now,
        tags: { 'joinery.dev/launch-group': launch.group },
      });
      return { id, machine: { instance, visibleAt: now + misfortune.lagMs } };
    });
    for (const { id, machine } of ids) machines.set(id, machine);
    fleets.set(launch.clientToken, { ids: ids.map(({ id }) => id) });
    return { ids: ids.map(({ id }) => id), soldOut: !misfortune.failsOtherwise };
  }

  const change = (ref: ObjectRef, edit: (claim: NodeClaim) => NodeClaim) => {
    claims = claims.map((claim) => (claim.meta.uid === ref.uid ? edit(claim) : claim));
  };

  function tellInstance(ref: ObjectRef, id: string): void {
    told.push(`${ref.uid} ${id}`);
    const labels = {
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/zone': 'us-east-1a',
      'karpenter.sh/capacity-type': 'on-demand',
    };
    call(() =>
      change(ref, (claim) => ({
        ...claim,
        meta: { ...claim.meta, labels: { ...claim.meta.labels, ...labels } },
      })),
    );
    call(() =>
      change(ref, (claim) => ({
        ...claim,
        status: { ...claim.status, providerId: `aws:///us-east-1a/${id}` },
      })),
    );
  }

  function tellFailure(ref: ObjectRef, reason: string, counts: boolean): void {
    call(() =>
      change(ref, (claim) => {
        const attempt = Number(claim.meta.annotations['joinery.dev/launch-attempt'] ?? '0') + 1;
        const annotations = {
          ...claim.meta.annotations,
          'joinery.dev/launch-failed-at': formatInstant(now),
          ...(counts && { 'joinery.dev/launch-attempt': String(attempt) }),
        };
        return { ...claim, meta: { ...claim.meta, annotations } };
      }),
    );
    const condition = { type: 'Launched', status: 'Unknown', reason, message: 'none' } as const;
    call(() =>
      change(ref, (claim) => ({
        ...claim,
        status: {
          ...claim.status,
          conditions: withCondition(claim.status.conditions, condition, now),
        },
      })),
    );
  }

  function launch(order: Launch): void {
    const { ids, soldOut } = call(() => createFleet(order));
    order.claims.forEach((ref, at) => {
      const id = ids[at];
      if (id !== undefined) tellInstance(ref, id);
    });
    for (const ref of order.claims.slice(ids.length)) {
      tellFailure(
        ref,
        soldOut ? 'InsufficientCapacity' : 'Unauthorized',
        ids.length === 0 && !soldOut,
      );
    }
  }

  function perform(action: Action): void {
    if (action.kind === 'launch') launch(action.launch);
    if (action.kind === 'adoptInstance') tellInstance(action.claim, action.instance.id);
    if (action.kind === 'terminateInstance') call(() => terminate(action.instanceId));
    if (['update', 'updateStatus', 'delete'].includes(action.kind)) call(() => write(action));
  }

  function terminate(id: string): void {
    const machine = machines.get(id);
    if (machine) machine.goneAt ??= now + SHUTDOWN_MS;
  }

  function write(action: Action): void {
    nodes = nodes.map((node) => afterWrite(node, action, now)).filter(isKept);
    claims = claims.map((claim) => afterWrite(claim, action, now)).filter(isKept);
    nodePools = nodePools.map((pool) => afterWrite(pool, action, now));
  }

  const isKept = ({ meta }: NodeClaim | Node) =>
    meta.deletedAt === undefined || meta.finalizers.length > 0;

  /** Kubelets register, the cloud takes the Nodes of lost machines away. */
  function timePasses(ms: number): void {
    now += ms;
    for (const [id, machine] of machines) {
      const providerId = `aws:///us-east-1a/${id}`;
      const node = nodes.find((each) => each.providerId === providerId);
      if (!isAlive(machine)) {
        nodes = nodes.map((each) => (each === node ? deleted(each) : each)).filter(isKept);
      } else if (
        !node &&
        machine.goneAt === undefined &&
        now >= machine.instance.launchedAt + BOOT_MS
      ) {
        nodes = [...nodes, joining(id, providerId, now)];
      }
    }
  }

  const deleted = (node: Node): Node => ({
    ...node,
    ready: { status: 'Unknown', changedAt: now },
    meta: { ...node.meta, deletedAt: node.meta.deletedAt ?? now },
  });

  /** One invocation: a look, and its actions until all are done or the caller dies. */
  function look(): number {
    for (const [name, at] of misfortune.deletions) {
      const claim = claims.find(({ meta }) => meta.name === name);
      if (looks === at && claim && claim.meta.deletedAt === undefined) {
        change({ ...claim.meta, apiVersion: '', kind: '' }, (each) => ({
          ...each,
          meta: { ...each.meta, deletedAt: now },
        }));
      }
    }
    looks += 1;
    const { actions } = advance(observe());
    try {
      for (const action of actions) perform(action);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    return actions.length;
  }

  return {
    look,
    timePasses,
    calls: () => calls,
    claims: () => claims,
    nodes: () => nodes,
    machines: () => [...machines.values()].map(({ instance }) => instance.id),
    living: () => [...machines.values()].filter((each) => each.goneAt === undefined),
    told: () => told,
  };
}

const unlabelled = (claim: NodeClaim): NodeClaim => {
  const { 'node.kubernetes.io/instance-type': _type, ...labels } = claim.meta.labels;
  return { ...claim, meta: { ...claim.meta, labels } };
};

const joining = (id: string, providerId: string, createdAt: number): Node =>
  aNode({
    meta: { name: `node-${id}`, createdAt, finalizers: [], labels: {} },
    providerId,
    taints: [{ key: 'karpenter.sh/unregistered', value: '', effect: 'NoExecute' }],
  });
