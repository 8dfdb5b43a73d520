/** Something that must hold for a story to be told truthfully, and what was found instead. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
}

/** A node of the story as a person would describe it. */
export interface NodeSeen {
  readonly name: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly arch: string;
  readonly usdPerHour: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the pods that run on it. */
  readonly pods: readonly string[];
}

/** A pod of the story: where it stands, if anywhere. */
export interface PodSeen {
  readonly name: string;
  readonly app: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly node?: NodeSeen;
}
