/** What a pod says besides its name, in the length that pods of real clusters have. */

/** As long as those of a pod that three managers wrote; told, never read. */
export const managedFields = [
  {
    manager: 'kube-controller-manager',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-11-20T11:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(
      Array.from({ length: 24 }, (_, at) => [
        `f:field-of-some-length-${at}`,
        { '.': {}, 'f:inner': {}, 'f:other': {} },
      ]),
    ),
  },
];

const transition = '2026-11-20T11:00:05Z';
const condition = (type: string) => ({
  type,
  status: 'True',
  lastProbeTime: null,
  lastTransitionTime: transition,
});

const environment = Array.from({ length: 8 }, (_, at) => ({
  name: `SOME_SETTING_${at}`,
  value: `http://service-${at}.default.svc.cluster.local:8080/path`,
}));

const mounts = [
  {
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    name: 'kube-api-access-x7k2p',
    readOnly: true,
  },
];

const volumes = [
  {
    name: 'kube-api-access-x7k2p',
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { items: [{ key: 'ca.crt', path: 'ca.crt' }], name: 'kube-root-ca.crt' } },
        {
          downwardAPI: {
            items: [
              {
                fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
                path: 'namespace',
              },
            ],
          },
        },
      ],
    },
  },
];

const IMAGE = '123456789012.dkr.ecr.us-east-1.amazonaws.com/team/application:v1.2.3';

/** The spec of a pod that asks for this much, and its status while it runs and while it waits. */
export function podBody(
  labels: Readonly<Record<string, string>>,
  requests: { readonly cpu: string; readonly memory: string },
) {
  const probe = {
    httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  };
  const containers = [
    {
      name: labels.app ?? 'main',
      image: IMAGE,
      ports: [{ containerPort: 8080, protocol: 'TCP' }],
      env: environment,
      resources: { requests, limits: { memory: requests.memory } },
      volumeMounts: mounts,
      livenessProbe: probe,
      readinessProbe: probe,
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    },
  ];
  const spec = {
    volumes,
    containers,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((name) => ({
      key: `node.kubernetes.io/${name}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };
  const running = {
    phase: 'Running',
    conditions: [
      'PodReadyToStartContainers',
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ].map(condition),
    hostIP: '10.0.0.1',
    podIP: '10.0.0.2',
    podIPs: [{ ip: '10.0.0.2' }],
    startTime: transition,
    containerStatuses: [
      {
        name: labels.app ?? 'main',
        state: { running: { startedAt: transition } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: IMAGE,
        imageID: `${IMAGE}@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945`,
        containerID:
          'containerd://4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
        started: true,
      },
    ],
    qosClass: 'Burstable',
  };
  const waiting = {
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/5000 nodes are available: 5000 Insufficient cpu.',
        lastTransitionTime: '2026-11-20T11:00:05Z',
      },
    ],
    qosClass: 'Burstable',
  };
  return { spec, running, waiting };
}
