import { isSameTaint, type Taint } from '#lib/constraints/taints.ts';
import { decodeTaint } from '#lib/kube/decode/decode-scheduling.ts';
import { group, list, required, wire, withDefault } from '#lib/kube/decode/field.ts';
import { name, text } from '#lib/kube/decode/scalar.ts';
import { COMPONENT } from '#lib/model/labels.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import { send } from './errors.ts';
import { listAll } from './list.ts';
import type { KubeTransport } from './transport.ts';
import { patchWithTests, pathOfRef } from './write.ts';

/**
 * Names a pod the node it should go to; null takes that back. Only the uid is relied on: the API
 * server refuses it for a pod that is bound. Throws KubeFailure.
 *
 * Source: kubernetes v1.36, core/validation: nominatedNodeName may not be set on bound pods.
 */
export async function writeNomination(
  kube: KubeTransport,
  pod: ObjectRef,
  nodeName: string | null,
): Promise<void> {
  await send(kube, {
    method: 'PATCH',
    path: `${pathOfRef(pod)}/status`,
    query: { fieldManager: COMPONENT },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid: pod.uid }, status: { nominatedNodeName: nodeName } },
  });
}

/** Binds a pod to a node, as kube-scheduler does it. Throws KubeFailure: conflict where it is bound. */
export async function bindPod(kube: KubeTransport, pod: ObjectRef, node: ObjectRef): Promise<void> {
  const { name: podName, namespace, uid } = pod;
  await send(kube, {
    method: 'POST',
    path: `${pathOfRef(pod)}/binding`,
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: podName, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node.name },
    },
  });
}

/** By uid of a pod without a node: the node that it is named now, '' for none. Throws KubeFailure. */
export async function nominationsNow(kube: KubeTransport): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>();
  await listAll(kube, { kind: 'Pod', fieldSelector: 'spec.nodeName=' }, (item) => {
    const pod = wire(item);
    const node = withDefault(group(pod, 'status'), 'nominatedNodeName', '', text);
    named.set(required(group(pod, 'metadata'), 'uid', name), node);
  });
  return named;
}

/** The uids of the pods that are on a node now, sorted. Throws KubeFailure. */
export async function podsOn(kube: KubeTransport, node: ObjectRef): Promise<readonly string[]> {
  const uids: string[] = [];
  await listAll(kube, { kind: 'Pod', fieldSelector: `spec.nodeName=${node.name}` }, (item) => {
    uids.push(required(group(wire(item), 'metadata'), 'uid', name));
  });
  return uids.sort();
}

/** A taint and where in a Node's list it stands. */
export interface TaintAt {
  readonly taint: Taint;
  readonly at: number;
}

/** Takes one taint off a Node. Throws KubeFailure: conflict where it does not stand there. */
export async function removeTaint(
  kube: KubeTransport,
  node: ObjectRef,
  { taint, at }: TaintAt,
): Promise<void> {
  const path = `/spec/taints/${at}`;
  await patchWithTests(kube, node, [
    { op: 'test', path: `${path}/key`, value: taint.key },
    { op: 'test', path: `${path}/effect`, value: taint.effect },
    { op: 'remove', path },
  ]);
}

/** Where a taint stands on a Node now; undefined where it is not there. Throws KubeFailure. */
export async function findTaint(
  kube: KubeTransport,
  node: ObjectRef,
  taint: Taint,
): Promise<TaintAt | undefined> {
  const found = wire(await send(kube, { method: 'GET', path: pathOfRef(node) }));
  const taints = list(group(found, 'spec'), 'taints', decodeTaint);
  const at = taints.findIndex((each) => isSameTaint(each, taint));
  return at < 0 ? undefined : { taint, at };
}
