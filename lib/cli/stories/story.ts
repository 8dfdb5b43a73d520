import type { ClusterSettings } from '#lib/model/settings.ts';
import type { UninstallOptions } from '../uninstall/command.ts';
import type { NodeSeen, PodSeen } from './seen.ts';
import type { Uninstalled } from './uninstaller.ts';

/** Kinds that a story looks at or deletes as they are. */
export type StoryKind = 'EC2NodeClass' | 'Node' | 'NodeClaim' | 'NodePool' | 'Pod';

/** An object as the API server has it, as far as stories read it. */
export interface StoryObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Types in zones, bought one way; * for any. */
export interface SoldOutPool {
  readonly capacityType: 'on-demand' | 'spot';
  readonly type: string;
  readonly zone: string;
}

/** What may befall the machine of a node, by the node's name. */
export interface Harm {
  /** Ends its instance, as a person in the console does. */
  readonly endInstance: (node: string) => void;
  /** Makes its kubelet fall silent, though the instance runs on. */
  readonly silenceKubelet: (node: string) => void;
}

/** What EC2 and AWS Health announce, of nodes by their names; absent where a stage cannot say it. */
export interface Announcer {
  /** The two-minute warning of their spot instances, then their end. */
  readonly takeBack: (nodes: readonly string[]) => void;
  readonly recommendRebalance: (node: string) => void;
  /** Work on the machine of a node; `statusCode` is AWS Health's: upcoming, open or closed. */
  readonly scheduleWork: (node: string, startsInMs: number, statusCode: string) => void;
  /** The same warning for an instance by its id, of whomever it is. */
  readonly warnOf: (instanceId: string) => void;
  /** A message that no announcement looks like. */
  readonly babble: (text: string) => void;
  /** Instances that run, whether or not a Node knows of them. */
  readonly instances: () => readonly string[];
  /** How many announcements were put aside as undoable. */
  readonly putAside: () => number;
  /** Shifts traffic out of a zone until `end` is called. */
  readonly shiftAway: (zone: string) => { readonly end: () => void };
}

/**
 * What a story can do, see and claim, wherever it plays: in the embedded world or on a real API
 * server. What is seen is as it stood when the last wait ended.
 */
export interface Stage {
  readonly now: () => number;
  /**
   * Applies NodeClasses and NodePools, waits until the pools are ready, and then for as long as a
   * person takes to come to the next line of a tutorial. Throws RefusedManifests.
   */
  readonly setUp: () => Promise<void>;
  /** Applies the workloads. Throws RefusedManifests. */
  readonly deploy: () => void;
  readonly scale: (deployment: string, replicas: number) => void;
  /** Changes a NodePool's limits. */
  readonly limit: (nodePool: string, limits: Readonly<Record<string, string>>) => void;
  /** Waits until so many pods of a workload run and are ready; a check that fails if they don't. */
  readonly untilRunning: (app: string, pods: number, withinMs: number) => Promise<void>;
  /** Waits until every pod runs and is ready; whether they do. */
  readonly untilAllRun: (withinMs: number) => Promise<boolean>;
  readonly untilNoNodes: (withinMs: number) => Promise<boolean>;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  /** Waits until `holds`; whether it does. */
  readonly until: (holds: () => boolean, withinMs: number) => Promise<boolean>;
  /** Makes an object as a person would, or changes what is there; null takes a key away. */
  readonly apply: (manifest: Readonly<Record<string, unknown>>) => void;
  /** As kubectl delete, without waiting for it. */
  readonly remove: (kind: Exclude<StoryKind, 'Pod'>, name: string) => void;
  /** Empties these pools of EC2, and only these, from now on. */
  readonly sellOut: (pools: readonly SoldOutPool[]) => void;
  /** What befalls machines; absent where a stage cannot do it. */
  readonly harm?: Harm;
  readonly announcer?: Announcer;
  /**
   * Makes a second cluster with a Joinery of its own in the same account and region, set with the
   * same manifests; its checks count for the story. Absent where a stage cannot.
   */
  readonly neighbour?: () => Stage;
  /** Runs `joinery uninstall`; absent where a stage cannot. */
  readonly uninstall?: (options: UninstallOptions) => Promise<Uninstalled>;
  /** Every object of a kind, by name. */
  readonly objects: (kind: StoryKind) => readonly StoryObject[];
  readonly nodes: () => readonly NodeSeen[];
  readonly pods: (app?: string) => readonly PodSeen[];
  readonly nodeClaims: () => readonly StoryObject[];
  readonly nodePoolResources: (name: string) => Readonly<Record<string, string>>;
  readonly eventsAbout: (pods: readonly string[], reason: string) => readonly string[];
  /** The names of the pods that Joinery has told something with this reason. */
  readonly podsTold: (reason: string) => ReadonlySet<string>;
  /** Of each NodePool that is not ready: its name and why. */
  readonly unreadyPools: () => readonly string[];
  readonly calls: () => Readonly<Record<string, number>>;
  /** From the first unschedulable pod to the first instance: the part that is Joinery's own. */
  readonly ourMilliseconds: () => number;
  /** Remembers nodes and price as they stand now for the closing table. */
  readonly markPeak: () => void;
  readonly check: (name: string, ok: boolean, found: string) => void;
  readonly checkOneInstancePerNodeClaim: () => void;
  readonly checkNothingLeft: () => void;
  /** That no function of Joinery threw, ran out of time, or touched what is not its cluster's. */
  readonly checkNoFunctionFailed: () => void;
}

/** A story that plays in the embedded world and ends with its own checks. */
export interface Story {
  readonly number: number;
  readonly name: string;
  /** What happens, in one sentence. */
  readonly title: string;
  /** One that the embedded table of EC2 holds. */
  readonly region: string;
  /** A file of lib/cli/stories/manifests. */
  readonly manifests: string;
  /** Settings other than the defaults. */
  readonly settings?: Partial<ClusterSettings>;
  readonly play: (stage: Stage) => Promise<void>;
}
