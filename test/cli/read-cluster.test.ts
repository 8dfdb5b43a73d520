import { describe, expect, it } from 'vitest';
import { readCluster } from '#lib/cli/read-cluster.ts';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { anApi } from '#test/build/api-bench.ts';
import { aWireNodePool, aWirePod } from '#test/build/wire-objects.ts';

describe('readCluster', () => {
  it('gives what a running cluster holds, fit to be planned for like files', async () => {
    const api = anApi();
    api.cluster.apply({ ...aWireNodePool(), metadata: { name: 'default' } });
    api.cluster.apply({ ...aWirePod(), metadata: { name: 'web-1', namespace: 'default' } });
    const { documents, problems } = await api.through(readCluster(async () => api.kube));
    const made = snapshotOfFiles(documents, {});

    expect(problems).toEqual([]);
    expect('snapshot' in made && made.snapshot.nodePools.map(({ meta }) => meta.name)).toEqual([
      'default',
    ]);
    expect('snapshot' in made && made.snapshot.pods.map(({ meta }) => meta.name)).toEqual([
      'web-1',
    ]);
  });

  it('takes a kind that the cluster does not have for one without objects', async () => {
    const bare = async () => ({ status: 404, body: { reason: 'NotFound' } });

    expect(await readCluster(async () => bare)).toEqual({ documents: [], problems: [] });
  });

  it.each([
    ['no kubeconfig', () => Promise.reject(new Error('no kubeconfig here')), 'no kubeconfig here'],
    [
      'a cluster that does not answer',
      async () => () => Promise.reject(new Error('ECONNREFUSED')),
      'no answer (ECONNREFUSED)',
    ],
    [
      'a cluster that lets nobody in',
      async () => async () => ({ status: 403, body: { reason: 'Forbidden', message: 'no' } }),
      '403 Forbidden',
    ],
  ])('says what is wrong with %s', async (_what, connect, problem) => {
    const { problems } = await readCluster(connect);

    expect(problems).toMatchObject([
      { file: 'the cluster', problem: expect.stringContaining(problem) },
    ]);
  });
});
