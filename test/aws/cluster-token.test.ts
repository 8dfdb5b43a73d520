import { describe, expect, it } from 'vitest';
import { signToken, tokensOf } from '#lib/aws/cluster-token.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'a/session+token==',
};
const PLACES = {
  'us-east-1': 'https://sts.us-east-1.amazonaws.com',
  'cn-north-1': 'https://sts.cn-north-1.amazonaws.com.cn',
};

const urlIn = (token: string): URL =>
  new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());

describe('signToken', () => {
  /** Signatures of botocore 1.43.11, RequestSigner.generate_presigned_url, for the same request. */
  it.each([
    ['us-east-1', '23441167a18411b2a5150ade814b89463854bfd46af9e274ed80214a96686701'],
    ['cn-north-1', '625d51b21325af4b0e749ba20c6c4cba3d8672c306a18d12f9f595fe039175db'],
  ] as const)('signs for STS in %s as the AWS command line does', async (region, signature) => {
    const stsEndpoint = new URL(PLACES[region]);
    const issuer = { region, clusterName: 'demo', stsEndpoint };
    const token = await signToken(issuer, CREDENTIALS, Date.UTC(2026, 10, 20, 12));
    const { host, searchParams } = urlIn(token);

    expect(token).toMatch(/^k8s-aws-v1\.[\w-]+$/);
    expect(host).toBe(stsEndpoint.host);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      Action: 'GetCallerIdentity',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': signature,
    });
  });
});

describe('tokensOf', () => {
  /** Tokens over a clock that is moved by hand. */
  function aSource(lifeMs?: number) {
    let now = NOON;
    let asked = 0;
    const source = tokensOf(
      {
        region: 'us-east-1',
        clusterName: 'demo',
        stsEndpoint: new URL(PLACES['us-east-1']),
        credentials: async () => {
          asked += 1;
          if (asked === 2) throw new Error('no credentials now');
          return {
            ...CREDENTIALS,
            ...(lifeMs !== undefined && { expiration: new Date(now + lifeMs) }),
          };
        },
      },
      () => now,
    );
    return {
      ...source,
      pass: (ms: number) => {
        now += ms;
      },
      asked: () => asked,
    };
  }

  it('gives one token again and again, and another a minute before EKS would refuse it', async () => {
    const { token, pass, asked } = aSource();
    const first = await token();
    pass(13 * MINUTE - SECOND);

    expect(await token()).toBe(first);
    expect(asked()).toBe(1);
    pass(SECOND);
    await expect(token()).rejects.toThrow('no credentials now');
    expect(await token()).not.toBe(first);
  });

  it('does not outlive the credentials that it was signed with', async () => {
    const { token, pass } = aSource(5 * MINUTE);
    await token();
    pass(4 * MINUTE);

    await expect(token()).rejects.toThrow('no credentials now');
  });

  it('makes another where one was refused', async () => {
    const { token, forget, asked, pass } = aSource();
    await token();
    forget();
    pass(SECOND);
    await token().catch(() => undefined);

    expect(asked()).toBe(2);
  });
});
