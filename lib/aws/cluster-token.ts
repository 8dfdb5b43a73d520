import { STSClient } from '@aws-sdk/client-sts';
import { Sha256 } from '@smithy/core/checksum';
import { buildQueryString, HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { EpochMs } from '#lib/model/time.ts';
import type { AwsPlace } from './place.ts';

/** Credentials as the SDK hands them out. */
type AwsCredentials = Awaited<ReturnType<STSClient['config']['credentials']>>;

/** What a request for a token is signed with, and where it would be sent. */
export interface TokenIssuer {
  readonly region: string;
  readonly clusterName: string;
  readonly credentials: () => Promise<AwsCredentials>;
  /** https://sts.us-east-1.amazonaws.com */
  readonly stsEndpoint: URL;
}

/**
 * EKS takes a token for 15 minutes after it was signed; its own tool counts on 14.
 *
 * Source: aws-iam-authenticator, token.go, presignedURLExpiration and its margin.
 */
const TOKEN_LIFE_MS = 14 * 60_000;
/** How long the presigned request itself holds. Source: aws-iam-authenticator, requestPresignParam. */
const URL_SECONDS = 60;
/** A token is renewed this long before it ends, or its credentials do. */
const MARGIN_MS = 60_000;

/**
 * Gives bearer tokens for an EKS cluster, one after another: the same one until a minute before it
 * ends. `forget` has the next one made anew, for when a token was refused.
 */
export interface TokenSource {
  readonly token: () => Promise<string>;
  readonly forget: () => void;
}

/** Tokens of the SDK's own credentials. The SDK knows where STS is in each partition. */
export function clusterTokens(
  place: AwsPlace,
  clusterName: string,
  now: () => EpochMs,
): TokenSource {
  const { config } = new STSClient(place);
  const stsEndpoint = config.endpointProvider({
    Region: place.region,
    UseDualStack: false,
    UseFIPS: false,
    UseGlobalEndpoint: false,
  }).url;
  return tokensOf(
    { region: place.region, clusterName, credentials: config.credentials, stsEndpoint },
    now,
  );
}

/** Tokens of an issuer; see TokenSource. */
export function tokensOf(issuer: TokenIssuer, now: () => EpochMs): TokenSource {
  let held: Promise<{ readonly token: string; readonly until: EpochMs }> | undefined;
  const make = async () => {
    const at = now();
    const credentials = await issuer.credentials();
    const credentialsEnd = credentials.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
    const token = await signToken(issuer, credentials, at);
    return { token, until: Math.min(at + TOKEN_LIFE_MS, credentialsEnd) - MARGIN_MS };
  };
  const renewed = () => {
    const next = make();
    held = next;
    next.catch(() => {
      if (held === next) held = undefined;
    });
    return next;
  };
  return {
    token: async () => {
      const known = await (held ?? renewed());
      return now() < known.until ? known.token : (await renewed()).token;
    },
    forget: () => {
      held = undefined;
    },
  };
}

/**
 * One token: a presigned GetCallerIdentity that names the cluster, which EKS sends to STS to learn
 * who signed it.
 *
 * Source: aws-iam-authenticator, README, API Authorization from Outside a Cluster.
 */
export async function signToken(
  { region, clusterName, stsEndpoint }: Omit<TokenIssuer, 'credentials'>,
  credentials: AwsCredentials,
  at: EpochMs,
): Promise<string> {
  const signer = new SignatureV4({ credentials, region, service: 'sts', sha256: Sha256 });
  const request = new HttpRequest({
    method: 'GET',
    protocol: stsEndpoint.protocol,
    hostname: stsEndpoint.hostname,
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host: stsEndpoint.host, 'x-k8s-aws-id': clusterName },
  });
  const { query } = await signer.presign(request, {
    expiresIn: URL_SECONDS,
    signingDate: new Date(at),
    unhoistableHeaders: new Set(['x-k8s-aws-id']),
  });
  const url = `${stsEndpoint.protocol}//${stsEndpoint.host}/?${buildQueryString(query ?? {})}`;
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
}
