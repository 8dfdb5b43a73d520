import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Wanted } from '#lib/cli/install/manifests.ts';
import { startEmulator } from '../emulator.ts';
import { auditedCalls } from './audit.ts';
import { type AwsAccount, CLUSTER_NAME, makeAccount } from './aws-account.ts';
import { type Bridge, startBridge } from './bridge.ts';
import { type ClusterClient, clusterClient } from './cluster-client.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { installJoinery, installWebhook } from './install.ts';
import { type Joinery, type JoineryOptions, startJoinery } from './joinery.ts';

/** A cluster, an AWS account, kubelets, and Joinery beside them as a process of its own. */
export interface RealWorld {
  readonly plane: ControlPlane;
  readonly cluster: ClusterClient;
  readonly account: AwsAccount;
  readonly bridge: Bridge;
  readonly joinery: () => Joinery;
  /** Starts Joinery, or another one beside the first. */
  readonly start: (how?: StartOptions) => Promise<Joinery>;
  readonly end: () => Promise<void>;
}

/** How Joinery is started here. */
interface StartOptions extends Pick<JoineryOptions, 'env' | 'heartbeatSeconds' | 'everySeconds'> {
  /** Speaks to the API server through this one instead. */
  readonly server?: string;
}

/** How a world is made. */
export interface WorldOptions {
  readonly region?: string;
  /** What is installed beside what always is. */
  readonly install?: Wanted;
  /** Joinery is not started yet. */
  readonly isQuiet?: boolean;
  readonly start?: StartOptions;
  readonly bridge?: Pick<Parameters<typeof startBridge>[0], 'bootMs' | 'staysAway'>;
}

/** Makes a world. It takes some six seconds. */
export async function realWorld(options: WorldOptions = {}): Promise<RealWorld> {
  const region = options.region ?? 'us-east-1';
  const emulator = await startEmulator();
  const { endpoint } = emulator;
  const [plane, account] = await Promise.all([
    startControlPlane(inject('controlPlane')),
    makeAccount(endpoint, region),
  ]);
  const cluster = clusterClient(plane);
  await installJoinery(cluster, options.install);
  const bridge = startBridge({
    region,
    endpoint,
    cluster,
    tell: (line) => appendFileSync(join(plane.folder, 'bridge.log'), `${line}\n`),
    ...options.bridge,
  });
  const started: Joinery[] = [];
  const start = async (how: StartOptions = {}): Promise<Joinery> => {
    const { server, ...others } = how;
    const joinery = await startJoinery({
      ...others,
      kubeconfig: kubeconfigFor(plane, server),
      endpoint,
      region,
      clusterName: CLUSTER_NAME,
      folder: plane.folder,
      tls: doorCertificate(plane),
    });
    started.push(joinery);
    await installWebhook(cluster, {
      url: `${joinery.url()}/admit`,
      certificateAuthority: plane.certificateAuthority,
    });
    return joinery;
  };
  if (!options.isQuiet) await start(options.start);
  return {
    plane,
    cluster,
    account,
    bridge,
    start,
    joinery: () => {
      const last = started.at(-1);
      if (last === undefined) throw new Error('expected Joinery to be started');
      return last;
    },
    end: async () => {
      for (const joinery of started) await joinery.kill();
      await bridge.stop();
      emulator.stop();
      await plane.stop();
      refuseDenials(plane);
    },
  };
}

/** Whatever was played, what Joinery asked for must have been granted. */
function refuseDenials(plane: ControlPlane): void {
  const denied = auditedCalls(plane).filter(({ status }) => status === FORBIDDEN);
  const [first] = denied;
  if (first === undefined) return;
  throw new Error(`${denied.length} calls were denied, such as ${first.verb} ${first.resource}`);
}

const FORBIDDEN = 403;

/** Joinery's kubeconfig, or the same for another address. */
function kubeconfigFor(plane: ControlPlane, server: string | undefined): string {
  const file = plane.kubeconfig('joinery');
  if (server === undefined) return file;
  const elsewhere = `${file}.${new URL(server).port}`;
  writeFileSync(elsewhere, readFileSync(file, 'utf8').replaceAll(plane.server, server));
  return elsewhere;
}

/** The API server's certificate is for 127.0.0.1, where the doors are as well. */
function doorCertificate({ folder, certificate }: ControlPlane) {
  const files = { cert: join(folder, 'door.crt'), key: join(folder, 'door.key') };
  writeFileSync(files.cert, certificate.cert);
  writeFileSync(files.key, certificate.key);
  return files;
}
