import { describe, expect, it } from 'vitest';
import { decodeNodePool } from '#lib/kube/decode/decode-node-pool.ts';
import { aWireNodePool } from '#test/build/wire-objects.ts';

const HOUR_MS = 3_600_000;

describe('decodeNodePool', () => {
  it('takes the defaults of the API where a NodePool says nothing', () => {
    expect(decodeNodePool(aWireNodePool())).toMatchObject({
      template: { labels: {}, taints: [], expireAfter: 720 * HOUR_MS },
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: 0,
        budgets: [{ nodes: '10%' }],
      },
      limits: {},
      weight: 0,
      status: { nodes: 0, conditions: [] },
    });
  });

  it('leaves a NodePool without budgets unlimited, when it says so', () => {
    const pool = decodeNodePool(aWireNodePool({ spec: { disruption: { budgets: [] } } }));

    expect(pool.disruption.budgets).toEqual([]);
  });

  it('keeps the template as it was written, for the hash', () => {
    const wire = aWireNodePool({ template: { expireAfter: 'Never', taints: [] } });
    const pool = decodeNodePool(wire);

    expect(pool.wireTemplate).toEqual((wire.spec as { template: unknown }).template);
    expect(pool.template.expireAfter).toBe('Never');
  });

  it('reads limits on anything, and budgets with their windows', () => {
    const budgets = [{ nodes: '3', schedule: '0 9 * * *', duration: '8h', reasons: ['Drifted'] }];
    const limits = { cpu: '100', nodes: 4, 'nvidia.com/gpu': '2' };
    const pool = decodeNodePool(aWireNodePool({ spec: { disruption: { budgets }, limits } }));

    expect(pool.limits).toEqual({ cpu: 100_000, nodes: 4, 'nvidia.com/gpu': 2 });
    expect(pool.disruption.budgets).toEqual([
      { nodes: '3', schedule: '0 9 * * *', durationMs: 8 * HOUR_MS, reasons: ['Drifted'] },
    ]);
  });

  it('names the field that is bad by its whole path', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'Never' },
    ];

    expect(() => decodeNodePool(aWireNodePool({ template: { taints } }))).toThrow(
      'spec.template.spec.taints[1].effect: found "Never", expected one of NoSchedule, PreferNoSchedule, NoExecute',
    );
  });
});
