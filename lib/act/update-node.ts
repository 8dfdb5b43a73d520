import { isSameTaint } from '#lib/constraints/taints.ts';
import { decodeNode } from '#lib/kube/decode/decode-node.ts';
import { encodeChange } from '#lib/kube/encode-change.ts';
import { KubeFailure, send } from '#lib/kube/errors.ts';
import { patch, pathOfRef } from '#lib/kube/write.ts';
import type { Node } from '#lib/model/node.ts';
import type { Action, NodeLists } from '#lib/model/plan.ts';
import type { LimitedPorts } from './ports.ts';

type Update = Extract<Action, { readonly kind: 'update' }>;

/** So often the difference is made to what a Node has become: kubelet and controllers write, too. */
const MOST_TRIES = 3;

/**
 * Makes the difference that an update was decided to make, between the lists as they were seen and
 * as they shall be, to a Node that others have written to since; labels and annotations are changed
 * key by key anyway. Gives the new resourceVersion. Throws KubeFailure: conflict where others were
 * faster each time, gone where the Node is being deleted or another has its name.
 */
export async function updateNodeAnew(
  { kube }: Pick<LimitedPorts, 'kube'>,
  update: Update,
  seen: NodeLists,
): Promise<string> {
  const { object } = update;
  for (let tries = 1; ; tries += 1) {
    const found = decodeNode(await send(kube, { method: 'GET', path: pathOfRef(object) }));
    if (found.meta.uid !== object.uid || found.meta.deletedAt !== undefined) {
      throw new KubeFailure('gone', `Node ${object.name} is going, or not the one seen`, {});
    }
    const ref = { ...object, resourceVersion: found.meta.resourceVersion };
    try {
      const { meta, taints } = changeOf(found, update, seen);
      return await patch(kube, ref, encodeChange(meta, taints));
    } catch (error) {
      const isBehind = error instanceof KubeFailure && error.kind === 'conflict';
      if (!isBehind || tries === MOST_TRIES) throw error;
    }
  }
}

/** What an update comes to for a Node as it was `found`. */
function changeOf(
  found: Node,
  { meta, taints }: Update,
  seen: NodeLists,
): Pick<Update, 'meta' | 'taints'> {
  const { finalizers, owners } = meta;
  const now = found.meta;
  return {
    meta: {
      ...meta,
      ...(finalizers && {
        finalizers: rebased(seen.finalizers, finalizers, now.finalizers, (a, b) => a === b),
      }),
      ...(owners && {
        owners: rebased(seen.owners, owners, now.owners, (a, b) => a.uid === b.uid),
      }),
    },
    ...(taints && { taints: rebased(seen.taints, taints, found.taints, isSameTaint) }),
  };
}

/** What a list that was `found` becomes by the step from `seen` to `wanted`. */
function rebased<Item>(
  seen: readonly Item[],
  wanted: readonly Item[],
  found: readonly Item[],
  isSame: (a: Item, b: Item) => boolean,
): readonly Item[] {
  const has = (list: readonly Item[], item: Item): boolean =>
    list.some((each) => isSame(each, item));
  const kept = found.filter((item) => has(wanted, item) || !has(seen, item));
  const added = wanted.filter((item) => !has(seen, item) && !has(found, item));
  return [...kept, ...added];
}
