import { afterEach, describe, expect, it } from 'vitest';
import { reachCluster } from '#lib/cli/install/reach-cluster.ts';
import { KubeFailure } from '#lib/kube/errors.ts';

const { KUBECONFIG } = process.env;

afterEach(() => {
  if (KUBECONFIG === undefined) delete process.env.KUBECONFIG;
  else process.env.KUBECONFIG = KUBECONFIG;
});

describe('reachCluster', () => {
  it('says in a sentence which kubeconfig cannot be read', async () => {
    process.env.KUBECONFIG = '/nowhere/kubeconfig';

    await expect(reachCluster()).rejects.toSatisfy(
      (error) => error instanceof KubeFailure && /cannot be read: ENOENT/.test(error.message),
    );
  });
});
