import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAmount } from '#lib/constraints/quantity.ts';
import { aNodeManifest, aPodManifest, aSmallCluster } from '#test/build/small-cluster.ts';

const aNode = fc.record({
  cpu: fc.integer({ min: 1, max: 8 }),
  zone: fc.constantFrom('a', 'b'),
  isTainted: fc.boolean(),
});
const aPod = fc.record({
  millicores: fc.integer({ min: 100, max: 4000 }),
  zone: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  isTolerant: fc.boolean(),
  at: fc.integer({ min: 0, max: 20 }),
});

describe('whatever nodes and pods come', () => {
  it('no node holds more than it can or what it repels, and what pends would fit nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aNode, { maxLength: 5 }),
        fc.array(aPod, { maxLength: 25 }),
        async (nodes, pods) => {
          const world = aSmallCluster();
          for (const [index, { zone, cpu, isTainted }] of nodes.entries()) {
            world.cluster.apply(
              aNodeManifest(`n${index}`, {
                labels: { zone },
                allocatable: { cpu: String(cpu) },
                ...(isTainted ? { taints: [{ key: 't', effect: 'NoSchedule' as const }] } : {}),
              }),
            );
          }
          for (const [index, { millicores, zone, isTolerant, at }] of pods.entries()) {
            const requests = { cpu: `${millicores}m` };
            const pod = aPodManifest(`p${index}`, {
              containers: [{ name: 'c', resources: { requests } }],
              ...(zone === undefined ? {} : { nodeSelector: { zone } }),
              ...(isTolerant ? { tolerations: [{ key: 't', operator: 'Exists' }] } : {}),
            });
            world.clock.after(at * 500, () => void world.cluster.apply(pod));
          }
          await world.wait(60);
          const placed = world.cluster.all('Pod');
          const free = nodes.map(({ cpu }) => cpu * 1000);
          const suits = (pod: number, node: number) =>
            (pods[pod]?.zone ?? nodes[node]?.zone) === nodes[node]?.zone &&
            (pods[pod]?.isTolerant === true || nodes[node]?.isTainted === false);
          const numbered = placed.map(({ metadata, spec }) => ({
            pod: Number(metadata.name.slice(1)),
            node: spec.nodeName === undefined ? undefined : Number(spec.nodeName.slice(1)),
            asks: parseAmount('cpu', spec.containers[0]?.resources?.requests?.cpu ?? 0) ?? 0,
          }));
          for (const { pod, node, asks } of numbered) {
            if (node === undefined) continue;
            expect(suits(pod, node)).toBe(true);
            free[node] = (free[node] ?? 0) - asks;
          }
          expect(Math.min(0, ...free)).toBe(0);
          for (const { pod, node, asks } of numbered) {
            if (node !== undefined) continue;
            const open = free.filter((left, index) => left >= asks && suits(pod, index));
            expect(open).toEqual([]);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
