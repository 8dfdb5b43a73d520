import type { AwsCall } from '#lib/aws/calls/call.ts';
import { describeCluster } from '#lib/aws/cluster.ts';
import { awsErrorCode, describeAwsError } from '#lib/aws/errors.ts';
import { KubeFailure, send } from '#lib/kube/errors.ts';
import { KINDS, type Kind, pathOf } from '#lib/kube/kinds.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { readMinorVersion } from '#lib/kube/version.ts';
import { clusterToAsk, type Environment, settingsTold } from '#lib/runtime/settings.ts';

/** Where the kubeconfig's cluster is. */
interface KubeconfigCluster {
  readonly server: string;
  /** Base64 PEM; '' where the kubeconfig names none. */
  readonly certificateAuthority: string;
}

/** What is looked at before anything is served. */
interface Preflight {
  readonly kube: KubeTransport;
  readonly kubeconfig: KubeconfigCluster;
  readonly aws: AwsCall;
  readonly environment: Environment;
  /** Hears of what is taken for granted. */
  readonly warn: (line: string) => void;
}

/** Of kind and kubeadm; only nodes of some image families are told it. */
const USUAL_SERVICE_CIDR = '10.96.0.0/16';
const OUR_KINDS: readonly Kind[] = ['NodePool', 'NodeClaim', 'EC2NodeClass', 'NodeOverlay'];

/**
 * The environment in which the functions can be served: what EKS knows of the cluster is added
 * and, where it is no cluster of EKS, what the kubeconfig and its API server know. Throws one
 * sentence for what a person must mend first: no such cluster, no CRDs, no rights, no credentials.
 */
export async function preflight(found: Preflight): Promise<Environment> {
  const missing = await Promise.all(OUR_KINDS.map((kind) => whyNotListed(found.kube, kind)));
  const why = missing.find((sentence) => sentence !== undefined);
  if (why !== undefined) throw new Error(why);
  return { ...(await clusterFacts(found)), ...withoutEmpty(found.environment) };
}

const withoutEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value));

async function whyNotListed(kube: KubeTransport, kind: Kind): Promise<string | undefined> {
  try {
    await send(kube, { method: 'GET', path: pathOf(kind), query: { limit: '1' } });
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error;
    const { plural } = KINDS[kind];
    if (error.status === 404) {
      return `The cluster knows no ${plural}: kubectl apply -k infra/cluster installs what Joinery needs there`;
    }
    if (error.kind === 'denied') {
      return `The kubeconfig's user may not list ${plural}: use another, or bind it to what infra/cluster/rbac.yaml allows (${error.message})`;
    }
    return `The cluster of the kubeconfig cannot be used: ${error.message}`;
  }
}

async function clusterFacts(found: Preflight): Promise<Environment> {
  const asked = clusterToAsk(found.environment);
  if (asked === undefined) return {};
  try {
    return settingsTold(await describeCluster(found.aws, asked.clusterName));
  } catch (error) {
    const isUnknown = awsErrorCode(error) === 'ResourceNotFoundException';
    if (!isUnknown) {
      throw new Error(
        `AWS was asked about the cluster ${asked.clusterName} in ${asked.region}, in vain: ${describeAwsError(error)}. Log in (aws sso login, AWS_PROFILE, AWS_ACCESS_KEY_ID …), or name a stand-in with --endpoint-url`,
        { cause: error },
      );
    }
    const version = await readMinorVersion(found.kube);
    found.warn(
      `EKS in ${asked.region} knows no cluster ${asked.clusterName}: nodes are told the address of the kubeconfig's`,
    );
    return {
      JOINERY_CLUSTER_ENDPOINT: found.kubeconfig.server,
      JOINERY_CLUSTER_CA: found.kubeconfig.certificateAuthority,
      JOINERY_SERVICE_CIDR: USUAL_SERVICE_CIDR,
      ...(version !== undefined && { JOINERY_KUBERNETES_VERSION: version }),
    };
  }
}
