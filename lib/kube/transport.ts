/** Hears the lines of a watch, each decoded, as they come; after 'enough' it hears no more. */
export type LineListener = (line: unknown) => 'more' | 'enough';

/** One request to the Kubernetes API server. `body` is sent as JSON. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** /apis/karpenter.sh/v1/nodepools/default, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Of the body; application/json where absent. PATCH names one of the three patch types. */
  readonly contentType?: string;
  readonly body?: unknown;
  /** Of a watch: its answer, if it is one of success, goes here line by line and has no body. */
  readonly onLine?: LineListener;
}

/** What the API server answered; failures are answers too. `body` is decoded JSON. */
export interface KubeResponse {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly body: unknown;
}

/**
 * The first of the two seams: all that Joinery says to Kubernetes passes through here. Rejects
 * only where no answer came, or broke off (connection refused, cut, timed out).
 */
export type KubeTransport = (request: KubeRequest) => Promise<KubeResponse>;
