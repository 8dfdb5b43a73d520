import { act } from '#lib/act/act.ts';
import type { ActLimits, ActPorts } from '#lib/act/ports.ts';
import { typedCall } from '#lib/aws/calls/call.ts';
import { decodeNodeClaim } from '#lib/kube/decode/decode-node-claim.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { KINDS, type Kind } from '#lib/kube/kinds.ts';
import type { NewNodeClaim, NodeClaim } from '#lib/model/node-claim.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import type { Action, Outcome } from '#lib/model/plan.ts';
import { type ApiBench, anApi } from './api-bench.ts';
import { settings } from './aws-callers.ts';
import { type AwsBench, anAccount } from './embedded-aws.ts';
import { aNewClaim } from './node-claims.ts';
import { aWireNodePool } from './wire-objects.ts';

/** An embedded cluster and account on one clock, and Joinery's hands in both. */
export interface ActingBench {
  readonly api: ApiBench;
  readonly account: AwsBench;
  readonly act: (
    actions: readonly Action[],
    limits?: Partial<ActLimits>,
    kube?: ActPorts['kube'],
  ) => Promise<readonly Outcome[]>;
  /** The action that creates a NodeClaim of the NodePool `default`, in the launch group g of `size`. */
  readonly toCreate: (name: string, size?: number) => Action;
  /** NodeClaims as the API server holds them, in the order of these names. */
  readonly claims: (...names: readonly string[]) => readonly NodeClaim[];
}

/** An embedded world for acting in. */
export function anActingBench(): ActingBench {
  const api = anApi();
  api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });
  const owner = api.cluster.get('NodePool', '', 'default')?.metadata.uid ?? '';
  const account = anAccount({ clock: api.clock });
  const ports = {
    kube: api.kube,
    aws: typedCall(account.aws.call('adapter')),
    now: api.now,
    settings: { cluster: settings },
    events: createEventMemory(),
  };
  return {
    api,
    account,
    act: (actions, limits = {}, kube = ports.kube) =>
      api.through(
        act({ ...ports, kube }, actions, {
          until: Number.POSITIVE_INFINITY,
          mayGoOn: () => true,
          ...limits,
        }),
      ),
    toCreate: (name, size = 1) => ({
      kind: 'createNodeClaim',
      claim: aClaimToBe(name, size, owner),
      forPods: [],
    }),
    claims: (...names) =>
      names.map((name) => decodeNodeClaim(api.cluster.get('NodeClaim', '', name))),
  };
}

/** An object as it stands in the bench's cluster, for an action to refer to. */
export function refTo(
  { api }: Pick<ActingBench, 'api'>,
  kind: Kind,
  name: string,
  namespace = '',
): ObjectRef {
  const found = api.cluster.get(kind, namespace, name)?.metadata;
  if (found === undefined) throw new Error(`expected ${kind} ${name}, found none`);
  const { uid, resourceVersion } = found;
  const { apiVersion } = KINDS[kind];
  return { apiVersion, kind, name, uid, resourceVersion, ...(namespace !== '' && { namespace }) };
}

function aClaimToBe(name: string, size: number, uid: string): NewNodeClaim {
  const { meta, spec } = aNewClaim({ meta: { name } });
  return {
    name,
    labels: meta.labels,
    annotations: { ...meta.annotations, 'joinery.dev/launch-group': `g/${size}` },
    owner: { kind: 'NodePool', name: 'default', uid },
    spec,
  };
}
