/** Where AWS is: a region, and another address than AWS's own where one stands in for it. */
export interface AwsPlace {
  readonly region: string;
  readonly endpoint?: string;
  /** How long AWS may be silent before a call counts as failed and is tried again. */
  readonly patienceMs?: number;
}

/** A fleet of many instances takes some seconds; a silence of half a minute is a lost connection. */
const PATIENCE_MS = 30_000;
const CONNECTING_MS = 5_000;

/** What every client of the SDK is made with. */
export type ClientSettings = Omit<AwsPlace, 'patienceMs'> & {
  readonly requestHandler: { readonly connectionTimeout: number; readonly socketTimeout: number };
};

/** The settings of a client in `place`. */
export const clientSettings = ({
  patienceMs = PATIENCE_MS,
  ...place
}: AwsPlace): ClientSettings => ({
  ...place,
  requestHandler: { connectionTimeout: CONNECTING_MS, socketTimeout: patienceMs },
});

/** Sends one operation's input and gives its answer; fails as the SDK fails. */
export type Sender = (input: unknown) => Promise<unknown>;
