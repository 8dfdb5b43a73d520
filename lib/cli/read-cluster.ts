import { gatedKinds, SNAPSHOT_KINDS, SPREAD_KINDS } from '#lib/kube/decode/decode.ts';
import { isGone } from '#lib/kube/errors.ts';
import { KINDS, type Kind } from '#lib/kube/kinds.ts';
import { listAll } from '#lib/kube/list.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { FEATURE_GATES } from '#lib/model/feature-gates.ts';
import type { FileContents, FileDocument } from './read-documents.ts';

/** Reaches a cluster; throws an Error that says why it cannot. */
export type Connect = () => Promise<KubeTransport>;

/** What a plan may look at, whatever gates and settings say: it tells what it leaves aside. */
const CLUSTER_KINDS: readonly Kind[] = [
  ...SNAPSHOT_KINDS,
  ...SPREAD_KINDS,
  ...gatedKinds(FEATURE_GATES),
  'PodTemplate',
  'Deployment',
];

/** What a cluster's objects are called where files have names. */
const CLUSTER = 'the cluster';

/**
 * Every object of a running cluster that a Snapshot holds, as if it stood in files. A kind that the
 * cluster does not have (a CRD that is not installed) holds none. What keeps the cluster from
 * being read is one problem.
 */
export async function readCluster(connect: Connect): Promise<FileContents> {
  try {
    const kube = await connect();
    const lists = await Promise.all(CLUSTER_KINDS.map((kind) => objectsOf(kube, kind)));
    return { documents: lists.flat(), problems: [] };
  } catch (error) {
    // A kubeconfig that cannot be used is told by its reader, in an Error of its own.
    if (!(error instanceof Error)) throw error;
    return { documents: [], problems: [{ file: CLUSTER, problem: error.message }] };
  }
}

async function objectsOf(kube: KubeTransport, kind: Kind): Promise<readonly FileDocument[]> {
  const documents: FileDocument[] = [];
  const { apiVersion } = KINDS[kind];
  try {
    await listAll(kube, { kind }, (item) => {
      // Lists leave out what they say once for all their items.
      const object = { apiVersion, kind, ...Object(item) };
      documents.push({ file: CLUSTER, document: documents.length + 1, object });
    });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return documents;
}
