import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { preflight } from '#lib/cli/local/preflight.ts';
import type { KubeResponse } from '#lib/kube/transport.ts';

const OK: KubeResponse = { status: 200, body: { items: [], major: '1', minor: '36' } };
const refusal = (status: number, reason: string): KubeResponse => ({
  status,
  body: { kind: 'Status', reason, message: 'so it is' },
});

function look(
  answers: { readonly kube?: (path: string) => KubeResponse; readonly aws?: () => unknown } = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const warnings: string[] = [];
  const found = preflight({
    kube: ({ path }) => Promise.resolve(answers.kube?.(path) ?? OK),
    kubeconfig: { server: 'https://127.0.0.1:6443', certificateAuthority: 'Y2E=' },
    aws: typedCall(async () => answers.aws?.() ?? {}),
    environment: { JOINERY_CLUSTER_NAME: 'kind', AWS_REGION: 'us-east-1', ...environment },
    warn: (line) => warnings.push(line),
  });
  return { found, warnings };
}

const failing = (name: string) => () => {
  throw Object.assign(new Error('it is refused'), { name });
};

describe('before anything is served', () => {
  it('a cluster without our kinds is told how they are installed', async () => {
    const kube = (path: string) => (path.includes('nodeclaims') ? refusal(404, 'NotFound') : OK);

    await expect(look({ kube }).found).rejects.toThrow(
      'The cluster knows no nodeclaims: kubectl apply -k infra/cluster installs what Joinery needs there',
    );
  });

  it('a user without rights is told which', async () => {
    await expect(look({ kube: () => refusal(403, 'Forbidden') }).found).rejects.toThrow(
      "The kubeconfig's user may not list nodepools",
    );
  });

  it('a cluster that EKS does not know is taken as the kubeconfig has it, with a warning', async () => {
    const { found, warnings } = look({ aws: failing('ResourceNotFoundException') });

    expect(await found).toMatchObject({
      JOINERY_CLUSTER_NAME: 'kind',
      JOINERY_CLUSTER_ENDPOINT: 'https://127.0.0.1:6443',
      JOINERY_CLUSTER_CA: 'Y2E=',
      JOINERY_KUBERNETES_VERSION: '1.36',
    });
    expect(warnings).toEqual([
      "EKS in us-east-1 knows no cluster kind: nodes are told the address of the kubeconfig's",
    ]);
  });

  it('missing credentials are told as such, with what to do', async () => {
    await expect(look({ aws: failing('CredentialsProviderError') }).found).rejects.toThrow(
      /AWS was asked about the cluster kind in us-east-1, in vain: .*Log in \(aws sso login/,
    );
  });

  it('asks AWS nothing where everything is said', async () => {
    const told = {
      JOINERY_CLUSTER_ENDPOINT: 'https://mine',
      JOINERY_CLUSTER_CA: 'bWluZQ==',
      JOINERY_SERVICE_CIDR: '10.0.0.0/16',
      JOINERY_KUBERNETES_VERSION: '1.30',
    };

    expect(await look({ aws: failing('AccessDenied') }, told).found).toMatchObject(told);
  });
});
