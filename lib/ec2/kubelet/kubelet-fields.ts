import { parseDuration } from '#lib/model/time.ts';

/** What a field may hold. Whatever kubelet reads in more than one way is anything. */
type Kind =
  | 'text'
  | 'flag'
  | 'whole'
  | 'number'
  | 'duration'
  | 'texts'
  | 'wholes'
  | 'textMap'
  | 'flagMap'
  | 'textsMap'
  | 'anything';

/** A kind, a structure of such fields, or a list of structures. */
type Shape = Kind | Shapes | readonly [Shapes];
interface Shapes {
  readonly [field: string]: Shape;
}

const all = (kind: Kind, fields: string): Shapes =>
  Object.fromEntries(fields.split(/\s+/).map((field) => [field, kind]));

/** Every field of a KubeletConfiguration. Source: k8s.io/kubelet v0.36.3, config/v1beta1/types.go. */
const KUBELET: Shapes = {
  ...all(
    'text',
    `apiVersion kind staticPodPath podLogsDir staticPodURL address tlsCertFile
     tlsPrivateKeyFile tlsMinVersion imagePullCredentialsVerificationPolicy
     healthzBindAddress clusterDomain kubeletCgroups systemCgroups cgroupRoot cgroupDriver
     cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy topologyManagerScope
     hairpinMode podCIDR resolvConf contentType containerLogMaxSize
     configMapAndSecretChangeDetectionStrategy reservedSystemCPUs
     showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup volumePluginDir
     providerID memoryReservationPolicy containerRuntimeEndpoint imageServiceEndpoint`,
  ),
  ...all(
    'flag',
    `enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers
     enableContentionProfiling cgroupsPerQOS singleProcessOOMKill runOnce cpuCFSQuota
     serializeImagePulls mergeDefaultEvictionSettings enableControllerAttachDetach
     protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification
     enableSystemLogHandler enableSystemLogQuery enableProfilingHandler
     enableDebugFlagsHandler seccompDefault registerNode localStorageCapacityIsolation
     failCgroupV1`,
  ),
  ...all(
    'whole',
    `port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst healthzPort
     oomScoreAdj nodeLeaseDurationSeconds imageGCHighThresholdPercent
     imageGCLowThresholdPercent maxPods podPidsLimit nodeStatusMaxImages maxOpenFiles
     kubeAPIQPS kubeAPIBurst maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore
     iptablesMasqueradeBit iptablesDropBit containerLogMaxFiles containerLogMaxWorkers`,
  ),
  ...all('number', 'memoryThrottlingFactor'),
  ...all(
    'duration',
    `syncFrequency fileCheckFrequency httpCheckFrequency streamingConnectionIdleTimeout
     nodeStatusUpdateFrequency nodeStatusReportFrequency imageMinimumGCAge
     imageMaximumGCAge volumeStatsAggPeriod cpuManagerReconcilePeriod runtimeRequestTimeout
     cpuCFSQuotaPeriod evictionPressureTransitionPeriod containerLogMonitorInterval
     shutdownGracePeriod shutdownGracePeriodCriticalPods`,
  ),
  ...all(
    'texts',
    `tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS enforceNodeAllocatable
     allowedUnsafeSysctls`,
  ),
  ...all('wholes', 'tlsCurvePreferences'),
  ...all(
    'textMap',
    `cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard
     evictionSoft evictionSoftGracePeriod evictionMinimumReclaim systemReserved
     kubeReserved`,
  ),
  ...all('flagMap', 'featureGates'),
  ...all('textsMap', 'staticPodURLHeader'),
  authentication: {
    x509: { clientCAFile: 'text' },
    webhook: { enabled: 'flag', cacheTTL: 'duration' },
    anonymous: { enabled: 'flag' },
  },
  authorization: {
    mode: 'text',
    webhook: { cacheAuthorizedTTL: 'duration', cacheUnauthorizedTTL: 'duration' },
  },
  crashLoopBackOff: { maxContainerRestartPeriod: 'duration' },
  logging: {
    format: 'text',
    flushFrequency: 'anything',
    verbosity: 'whole',
    vmodule: [{ filePattern: 'text', verbosity: 'whole' }],
    options: 'anything',
  },
  memorySwap: { swapBehavior: 'text' },
  registerWithTaints: 'anything',
  reservedMemory: [{ numaNode: 'whole', limits: 'anything' }],
  shutdownGracePeriodByPodPriority: [{ priority: 'whole', shutdownGracePeriodSeconds: 'whole' }],
  tracing: { endpoint: 'text', samplingRatePerMillion: 'whole' },
  userNamespaces: { idsPerPod: 'whole' },
};

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === 'string';
const isFlag: Test = (value) => typeof value === 'boolean';
const isWhole: Test = (value) => Number.isSafeInteger(value);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const mapOf =
  (test: Test): Test =>
  (value) =>
    isStructure(value) && Object.values(value).every(test);

const KINDS: Readonly<Record<Kind, { readonly test: Test; readonly expected: string }>> = {
  text: { test: isText, expected: 'a string' },
  flag: { test: isFlag, expected: 'true or false' },
  whole: { test: isWhole, expected: 'a whole number' },
  number: { test: (value) => typeof value === 'number', expected: 'a number' },
  duration: {
    test: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
    expected: 'a duration such as 1h30m',
  },
  texts: { test: listOf(isText), expected: 'a list of strings' },
  wholes: { test: listOf(isWhole), expected: 'a list of whole numbers' },
  textMap: { test: mapOf(isText), expected: 'strings by key' },
  flagMap: { test: mapOf(isFlag), expected: 'true or false by key' },
  textsMap: { test: mapOf(listOf(isText)), expected: 'lists of strings by key' },
  anything: { test: () => true, expected: 'anything' },
};

/**
 * What kubelet would refuse to read of settings as they were written: fields that it does not
 * know, wrongly cased ones included, and values of the wrong type; in the order in which they
 * stand there. A text for maxPods is an expression and none of kubelet's business.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/validation.go, strict decoding.
 */
export function kubeletFieldProblems(
  written: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { maxPods, ...others } = written;
  return structureProblems(typeof maxPods === 'string' ? others : written, KUBELET, '');
}

function structureProblems(
  written: Readonly<Record<string, unknown>>,
  shapes: Shapes,
  path: string,
): readonly string[] {
  return Object.entries(written).flatMap(([key, value]) => {
    const field = `${path}${key}`;
    const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined;
    if (shape === undefined) return [`${field} is no setting of kubelet`];
    return value === null ? [] : valueProblems(value, shape, field);
  });
}

function valueProblems(value: unknown, shape: Shape, field: string): readonly string[] {
  if (typeof shape === 'string') {
    const { test, expected } = KINDS[shape];
    return test(value) ? [] : [`${field} must be ${expected}`];
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${field} must be a list`];
    return value.flatMap((item: unknown, at) => valueProblems(item, shape[0], `${field}[${at}]`));
  }
  return isStructure(value)
    ? structureProblems(value, shape, `${field}.`)
    : [`${field} must be an object`];
}

const isList = (shape: Shapes | readonly [Shapes]): shape is readonly [Shapes] =>
  Array.isArray(shape);

const isStructure = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
