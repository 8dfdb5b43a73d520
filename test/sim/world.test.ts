import { describe, expect, it } from 'vitest';
import { crdTexts } from '#lib/cli/crds.ts';
import { createFaultPlan } from '#lib/sim/faults.ts';
import type { FunctionPorts } from '#lib/sim/stack.ts';
import { createWorld, type World, type WorldOptions } from '#lib/sim/world.ts';
import { aMachineType, START } from '#test/build/embedded-aws.ts';

type Told = { readonly event: unknown; readonly ports: FunctionPorts };
type Name = 'provision' | 'admit' | 'consolidate' | 'drift' | 'interrupt';

/** A world whose functions do what `handlers` says, with what woke them written down. */
function aWorld(
  handlers: Partial<Record<Name, (told: Told) => Promise<unknown>>> = {},
  difference: Partial<WorldOptions> = {},
): { readonly world: World; readonly told: [string, unknown][] } {
  const told: [string, unknown][] = [];
  const world = createWorld({
    seed: 1,
    start: START,
    region: 'us-east-1',
    types: [aMachineType()],
    crds: crdTexts(),
    clusterName: 'demo',
    connect: (ports) => {
      const handler = (name: Name) => async (event: unknown) => {
        told.push([name, event]);
        return await handlers[name]?.({ event, ports });
      };
      return {
        provision: handler('provision'),
        admit: handler('admit'),
        consolidate: handler('consolidate'),
        drift: handler('drift'),
        interrupt: handler('interrupt'),
      };
    },
    ...difference,
  });
  return { world, told };
}

const deployment = (replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web', resources: { requests: { cpu: '1' } } }] },
    },
  },
});

describe('the embedded world', () => {
  it('lets a pod that cannot be scheduled wake provision within seconds', async () => {
    const { world, told } = aWorld({
      admit: async ({ ports }) => {
        await ports.aws('SendMessage', {
          QueueUrl: ports.hintQueueUrl,
          MessageBody: 'look',
          DelaySeconds: 1,
        });
      },
    });
    world.apply([deployment(1)]);
    const isWoken = (): boolean =>
      told.some(([name, event]) => name === 'provision' && JSON.stringify(event).includes('look'));

    expect(await world.runUntil(isWoken, 10_000)).toBe(true);
  });

  it('gives functions the cluster to read, and counts what they call', async () => {
    const { world } = aWorld({
      drift: async ({ ports }) => await ports.kube({ method: 'GET', path: '/api/v1/pods' }),
    });
    world.apply([deployment(3)]);
    await world.run(5_000);
    let pods: unknown;
    void world.invoke('drift').then((result) => {
      pods = result;
    });
    await world.runUntil(() => pods !== undefined, 10_000);

    expect(pods).toMatchObject({ kind: 'returned', value: { status: 200 } });
    expect(JSON.stringify(pods).match(/"name":"web-[^"]+"/g)?.length).toBeGreaterThanOrEqual(3);
    expect(world.calls()).toEqual({ 'list pods': 1 });
  });

  it('refuses what the API server refuses', () => {
    const { world } = aWorld();
    const pool = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'x' } };

    expect(() => world.apply([{ ...pool, spec: {} }])).toThrow(/spec/);
  });

  it('writes the same journal from the same seed, and another from another', async () => {
    const journal = async (seed: number): Promise<string> => {
      const { world } = aWorld(
        { provision: async ({ ports }) => ports.kube({ method: 'GET', path: '/api/v1/nodes' }) },
        { seed },
      );
      world.apply([deployment(5)]);
      await world.run(600_000);
      return JSON.stringify(world.journal.entries);
    };

    expect(await journal(7)).toBe(await journal(7));
    expect(await journal(7)).not.toBe(await journal(8));
  });

  it('lets nobody hear of a call whose process was killed', async () => {
    const faults = createFaultPlan([{ at: 1, how: 'lost', of: { function: 'provision' } }]);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'made' } };
    const { world } = aWorld(
      {
        provision: async ({ ports }) => {
          const request = { method: 'POST', path: '/api/v1/namespaces', body: namespace } as const;
          await ports.kube(request);
          await ports.kube({ ...request, body: { ...namespace, metadata: { name: 'never' } } });
        },
      },
      { faults },
    );
    void world.invoke('provision');
    await world.run(5_000);
    const names = world.kubernetes.list('Namespace').map(({ metadata }) => metadata.name);

    expect(names).toContain('made');
    expect(names).not.toContain('never');
  });
});
