/** Seconds of which each occasion draws its own, both ends included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How the embedded cluster behaves where a real one's behaviour depends on machines and images. */
export interface ClusterSettings {
  /** What a kubelet must have been told to join this cluster. */
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  /** What the API server and the kubelets call themselves; the behaviour is that of 1.36. */
  readonly version: string;
  /** From the instance running to its kubelet registering. */
  readonly bootSeconds: Span;
  /** From registering to Ready: the network plugin starts. */
  readonly readySeconds: Span;
  /** From Ready to the extended resources of GPUs being there, as if a device plugin ran. */
  readonly devicePluginSeconds: Span;
  /** Pulling a pod's images and starting its containers. */
  readonly startSeconds: Span;
  /** What a pod needs to stop when it is asked to; never more than its grace. */
  readonly stopSeconds: Span;
  /** How long pods that run to an end take, where `sim.joinery.dev/run-seconds` does not say. */
  readonly runSeconds: Span;
  /** Requests a second, after a burst of twice as many, that kube-scheduler may send. */
  readonly schedulerQps: number;
  readonly latencyMs: Span;
}

/**
 * An EKS cluster with AL2023 nodes.
 *
 * Source: boot and readiness as commonly seen on EKS; schedulerQps: kubernetes v1.36,
 * componentconfig defaults of kube-scheduler's client (50, burst 100).
 */
export const DEFAULT_CLUSTER: ClusterSettings = {
  name: 'joinery',
  endpoint: 'https://cluster.joinery.example',
  region: 'us-east-1',
  version: '1.36',
  bootSeconds: { from: 25, to: 40 },
  readySeconds: { from: 5, to: 10 },
  devicePluginSeconds: { from: 5, to: 10 },
  startSeconds: { from: 1, to: 3 },
  stopSeconds: { from: 1, to: 2 },
  runSeconds: { from: 60, to: 60 },
  schedulerQps: 50,
  latencyMs: { from: 5, to: 15 },
};

/** Annotation of a pod: how long it takes to start, in seconds. */
export const START_SECONDS = 'sim.joinery.dev/start-seconds';
/** Annotation of a pod: how long it takes to stop, in seconds, unless its grace is shorter. */
export const STOP_SECONDS = 'sim.joinery.dev/stop-seconds';
/** Annotation of a pod: how long it runs before it ends, in seconds. */
export const RUN_SECONDS = 'sim.joinery.dev/run-seconds';
