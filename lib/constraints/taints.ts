/** What becomes of a pod that does not tolerate a taint. */
export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

/** What a node repels. An absent value is ''. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
}

/** What a pod does not mind. No key: every key; no effect: every effect. */
export interface Toleration {
  readonly key?: string;
  readonly operator: 'Exists' | 'Equal' | 'Lt' | 'Gt';
  readonly value?: string;
  readonly effect?: TaintEffect;
  readonly seconds?: number;
}
