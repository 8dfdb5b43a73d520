/** Where AWS is: a region, and another address than AWS's own where one stands in for it. */
export interface AwsPlace {
  readonly region: string;
  readonly endpoint?: string;
  /** How long AWS may be silent before a call counts as failed and is tried again. */
  readonly patienceMs?: number;
}

/** What every client of the SDK is made with. */
export type ClientSettings = Omit<AwsPlace, 'patienceMs'> & {
  readonly requestHandler: { readonly connectionTimeout: number; readonly socketTimeout: number };
};
