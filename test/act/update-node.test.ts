import { describe, expect, it } from 'vitest';
import { decodeNode } from '#lib/kube/decode/decode-node.ts';
import { nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { type ActingBench, anActingBench } from '#test/build/acting.ts';

const UNREGISTERED = { key: 'karpenter.sh/unregistered', value: '', effect: 'NoExecute' } as const;
const NOT_READY = { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' } as const;
const OURS = { key: 'joinery.dev/joining', value: '', effect: 'NoSchedule' } as const;

const wire = (taints: readonly object[], meta: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...meta },
  spec: { taints },
});

/** The Node n, as one look sees it; what is decided then; and what others make of it before. */
function aNodeThatChanges(bench: ActingBench, difference: Partial<Action> = {}) {
  bench.api.cluster.apply(wire([UNREGISTERED, NOT_READY], { finalizers: ['seen'] }));
  const node = found(bench);
  const { finalizers, owners } = node.meta;
  const action = {
    kind: 'update',
    object: nodeRef(node),
    meta: { labels: { registered: 'true' }, finalizers: ['seen', 'ours'] },
    taints: [...node.taints.filter(({ key }) => key !== UNREGISTERED.key), OURS],
    seen: { finalizers, owners, taints: node.taints },
    ...difference,
  } as Action;
  bench.api.cluster.apply(
    wire([UNREGISTERED, { ...NOT_READY, key: 'theirs' }], {
      labels: { others: 'wrote' },
      finalizers: ['seen', 'theirs'],
    }),
  );
  return action;
}

const found = ({ api }: ActingBench) => decodeNode(api.cluster.get('Node', '', 'n'));

describe('an update of a Node to which others have written since it was seen', () => {
  it('makes the difference that it was decided to make to what the Node has become', async () => {
    const bench = anActingBench();
    const action = aNodeThatChanges(bench);

    expect(await bench.act([action])).toMatchObject([{ result: 'done' }]);
    const { meta, taints } = found(bench);
    const keys = taints.map(({ key }) => key);
    expect(keys).toContain('theirs');
    expect(keys).toContain(OURS.key);
    expect(keys).not.toContain(UNREGISTERED.key);
    expect(meta.finalizers).toEqual(['seen', 'theirs', 'ours']);
    expect(meta.labels).toMatchObject({ others: 'wrote', registered: 'true' });
  });

  it('is lost where it does not say on what it was decided', async () => {
    const bench = anActingBench();
    const { seen: _, ...action } = aNodeThatChanges(bench) as Extract<Action, { kind: 'update' }>;

    expect(await bench.act([action])).toMatchObject([{ result: 'lost' }]);
  });

  it('is lost where the Node is being deleted, or another has its name', async () => {
    const bench = anActingBench();
    const action = aNodeThatChanges(bench);
    const gone = nodeRef(found(bench));
    await bench.act([{ kind: 'delete', object: gone, because: 'test' }]);
    expect(await bench.act([action])).toMatchObject([{ result: 'lost' }]);

    const meta = { finalizers: [] };
    await bench.act([{ kind: 'update', object: nodeRef(found(bench)), meta }]);
    bench.api.cluster.apply(wire([UNREGISTERED]));
    expect(await bench.act([action])).toMatchObject([{ result: 'lost' }]);
    expect(found(bench).taints.map(({ key }) => key)).toContain(UNREGISTERED.key);
  });
});
