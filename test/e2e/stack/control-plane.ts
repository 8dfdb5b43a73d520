import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts, type Part, startPart, untilReady } from './part.ts';

/** Who may speak to the API server, by name: their token and their groups. */
const USERS = {
  admin: ['admin', 'system:masters'],
  scheduler: ['system:kube-scheduler', ''],
  controllers: ['system:kube-controller-manager', ''],
  kwok: ['kwok', 'system:masters'],
  /** No rights but those of infra/cluster/rbac.yaml. */
  joinery: ['joinery', 'joinery'],
} as const satisfies Readonly<Record<string, readonly [user: string, group: string]>>;

/** One of those who may speak to the API server. */
export type User = keyof typeof USERS;

/** A cluster that runs on this machine. */
export interface ControlPlane {
  /** https://127.0.0.1:… */
  readonly server: string;
  /** Of everything it wrote: logs, certificates, kubeconfigs. */
  readonly folder: string;
  /** PEM of the authority that signed its certificate. */
  readonly certificateAuthority: string;
  /** A certificate for 127.0.0.1 by that authority, and its key, for servers of the tests. */
  readonly certificate: { readonly cert: string; readonly key: string };
  readonly token: (user: User) => string;
  readonly kubeconfig: (user: User) => string;
  /** What `joinery` did, as the API server's audit log has it: one JSON object a line. */
  readonly auditLog: string;
  readonly stop: () => Promise<void>;
}

/** The service network, as kubeadm has it. */
export const SERVICE_CIDR = '10.96.0.0/16';
const STAGES = new URL('stages.yaml', import.meta.url).pathname;

/** Only Joinery is of interest: who did what to which resource, and what came of it. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata', users: ['joinery'] }, { level: 'None' }],
};

interface Site {
  readonly program: string;
  readonly folder: string;
  readonly server: string;
  readonly ports: readonly number[];
}

/**
 * Starts etcd, kube-apiserver, kube-scheduler, kube-controller-manager and kwok, with RBAC and
 * without leader election, on free ports of 127.0.0.1. They take four seconds and 0.7 GB.
 */
export async function startControlPlane(program: string): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-e2e-'));
  const ports = await freePorts(6);
  const server = `https://127.0.0.1:${ports[2]}`;
  const site = { program, folder, server, ports };
  const parts: Part[] = [];
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop();
    // The logs stay, for whoever wants to know; the store is large and of no use.
    rmSync(join(folder, 'etcd'), { recursive: true, force: true });
  };
  try {
    parts.push(await startEtcd(site));
    parts.push(await startApiServer(site));
    writeKubeconfigs(site);
    const others = [startControllers(site), startScheduler(site), startKwok(site)];
    parts.push(...others.map(({ part }) => part));
    await Promise.all(others.map(({ part, health }) => untilReady(part, health)));
  } catch (error) {
    await stop();
    throw error;
  }
  const pki = join(folder, 'pki');
  const cert = readFileSync(join(pki, 'apiserver.crt'), 'utf8');
  return {
    server,
    folder,
    certificateAuthority: cert,
    certificate: { cert, key: readFileSync(join(pki, 'apiserver.key'), 'utf8') },
    token: tokenOf,
    kubeconfig: (user) => kubeconfigOf(folder, user),
    auditLog: join(folder, 'audit.log'),
    stop,
  };
}

const tokenOf = (user: User): string => `${user}-token`;
const kubeconfigOf = (folder: string, user: User): string => join(folder, `${user}.kubeconfig`);

async function startEtcd({ program, folder, ports }: Site): Promise<Part> {
  const [clients, peers] = ports.map((port) => `http://127.0.0.1:${port}`);
  const part = startPart({
    name: 'etcd',
    program,
    folder,
    args: [
      'etcd',
      `--data-dir=${join(folder, 'etcd')}`,
      // What a power cut would lose is of no use to anyone.
      '--unsafe-no-fsync',
      '--log-level=warn',
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ],
  });
  await untilReady(part, `${clients}/health`);
  return part;
}

/** Its certificate is one that it signs itself, so that the tests need no openssl. */
async function startApiServer({ program, folder, server, ports }: Site): Promise<Part> {
  const pki = join(folder, 'pki');
  mkdirSync(pki);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const accountKey = join(pki, 'accounts.key');
  writeFileSync(accountKey, privateKey.export({ type: 'sec1', format: 'pem' }));
  const tokens = Object.entries(USERS).map(
    ([who, [user, group]]) => `${who}-token,${user},${user},"${group}"`,
  );
  writeFileSync(join(folder, 'tokens.csv'), `${tokens.join('\n')}\n`);
  writeFileSync(join(folder, 'audit-policy.json'), JSON.stringify(AUDIT_POLICY));
  const part = startPart({
    name: 'kube-apiserver',
    program,
    folder,
    args: [
      'kube-apiserver',
      `--etcd-servers=http://127.0.0.1:${ports[0]}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${ports[2]}`,
      // Without these two it will have nothing to do with the loopback address.
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--service-cluster-ip-range=${SERVICE_CIDR}`,
      `--cert-dir=${pki}`,
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${accountKey}`,
      `--service-account-signing-key-file=${accountKey}`,
      `--audit-policy-file=${join(folder, 'audit-policy.json')}`,
      `--audit-log-path=${join(folder, 'audit.log')}`,
    ],
  });
  await untilReady(part, `${server}/readyz`, tokenOf('admin'));
  return part;
}

function writeKubeconfigs({ folder, server }: Site): void {
  const authority = readFileSync(join(folder, 'pki', 'apiserver.crt')).toString('base64');
  for (const user of ['admin', 'scheduler', 'controllers', 'kwok', 'joinery'] as const) {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'e2e',
      clusters: [{ name: 'e2e', cluster: { server, 'certificate-authority-data': authority } }],
      users: [{ name: user, user: { token: tokenOf(user) } }],
      contexts: [{ name: 'e2e', context: { cluster: 'e2e', user } }],
    };
    writeFileSync(kubeconfigOf(folder, user), JSON.stringify(config));
  }
}

interface Starting {
  readonly part: Part;
  readonly health: string;
}

/** kube-scheduler and kube-controller-manager ask the API server who may ask them what. */
const asking = (kubeconfig: string, port: number | undefined): readonly string[] => [
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  '--leader-elect=false',
];

function startControllers({ program, folder, ports }: Site): Starting {
  const kubeconfig = kubeconfigOf(folder, 'controllers');
  const part = startPart({
    name: 'kube-controller-manager',
    program,
    folder,
    args: [
      'kube-controller-manager',
      `--kubeconfig=${kubeconfig}`,
      ...asking(kubeconfig, ports[3]),
      '--use-service-account-credentials',
      `--service-account-private-key-file=${join(folder, 'pki', 'accounts.key')}`,
      `--root-ca-file=${join(folder, 'pki', 'apiserver.crt')}`,
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ],
  });
  return { part, health: `https://127.0.0.1:${ports[3]}/healthz` };
}

function startScheduler({ program, folder, ports }: Site): Starting {
  const kubeconfig = kubeconfigOf(folder, 'scheduler');
  const part = startPart({
    name: 'kube-scheduler',
    program,
    folder,
    args: ['kube-scheduler', `--kubeconfig=${kubeconfig}`, ...asking(kubeconfig, ports[4])],
  });
  return { part, health: `https://127.0.0.1:${ports[4]}/healthz` };
}

function startKwok({ program, folder, ports }: Site): Starting {
  const part = startPart({
    name: 'kwok',
    program,
    folder,
    args: [
      'kwok',
      `--kubeconfig=${kubeconfigOf(folder, 'kwok')}`,
      '--manage-all-nodes=false',
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      '--node-lease-duration-seconds=40',
      `--server-address=127.0.0.1:${ports[5]}`,
      `--config=${STAGES}`,
    ],
  });
  return { part, health: `http://127.0.0.1:${ports[5]}/healthz` };
}

/** Waits until `holds`, asking again each `everyMs`; throws with what `otherwise` says after `withinMs`. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  withinMs: number,
  otherwise: () => string,
  everyMs = 250,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`after ${withinMs / 1_000} s still not: ${otherwise()}`);
    await delay(everyMs);
  }
}
