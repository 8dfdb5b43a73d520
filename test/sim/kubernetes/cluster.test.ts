import { describe, expect, it } from 'vitest';
import { aDeployment, aSmallCluster } from '#test/build/small-cluster.ts';

const phases = ({ cluster }: ReturnType<typeof aSmallCluster>) =>
  cluster.all('Pod').map(({ status }) => status.phase);

describe('createKubernetes', () => {
  it('runs the pods of a Deployment once a machine has joined', async () => {
    const world = aSmallCluster();
    expect(world.cluster.apply(aDeployment('web', 3))).toMatchObject({ result: 'created' });
    await world.wait(5);
    expect(phases(world)).toEqual(['Pending', 'Pending', 'Pending']);
    world.start();
    await world.until(() => phases(world).every((phase) => phase === 'Running'));
    expect(world.seconds()).toBeLessThan(70);
    await world.wait(1);
    expect(world.cluster.all('Deployment')[0]?.status).toMatchObject({ readyReplicas: 3 });
  });
});
