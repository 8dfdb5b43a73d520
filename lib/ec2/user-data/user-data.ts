import { parseDocument } from 'yaml';
import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import { type AmiFamily, amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { al2Bootstrap } from './al2-bootstrap.ts';
import { bottlerocketProblem, bottlerocketSettings } from './bottlerocket-settings.ts';
import { isMime, type MimePart, readMime, writeMime } from './mime.ts';
import { nodeConfigOf } from './node-config.ts';
import type { NodeIdentity } from './node-identity.ts';
import { windowsBootstrap } from './windows-bootstrap.ts';

const NODE_CONFIG = { 'Content-Type': 'application/node.eks.aws' };
const SHELL_SCRIPT = { 'Content-Type': 'text/x-shellscript; charset="us-ascii"' };
const NOT_MIME = 'starts like a MIME archive and cannot be read as one';

/** What EC2 takes, before base64. Source: EC2 API, RunInstances, UserData. */
const MOST_BYTES = 16_384;

/**
 * What an instance of a NodeClass is told when it boots: the user's own part and, but for images
 * of family Custom, what makes it a node of the cluster, which wins where both say something.
 * Refused where the user's part is not what the family reads, and where EC2 would take no more.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/bootstrap.
 */
export function userDataOf(identity: NodeIdentity): string | Rejection {
  const { nodeClass } = identity;
  const userData = withBootstrap(identity);
  const problem = typeof userData === 'string' ? sizeProblem(userData) : userData.problem;
  if (typeof userData === 'string' && problem === undefined) return userData;
  return reject('nodeClass', `the userData of EC2NodeClass ${nodeClass.meta.name} ${problem}`);
}

/**
 * What is wrong with a NodeClass's user data, as the end of a sentence about it, or undefined where
 * nothing is: it is not what its image family reads, or it is larger than EC2 takes. Where the
 * `settings` of a cluster are given, what the least of its nodes is told besides counts too.
 */
export function userDataProblem(
  nodeClass: NodeClass,
  settings?: ClusterSettings,
): string | undefined {
  const written = nodeClass.spec.userData ?? '';
  const problem = formatProblem(amiFamilyOf(nodeClass), written) ?? sizeProblem(written);
  if (problem !== undefined || settings === undefined) return problem;
  const claim = plainClaim(nodeClass);
  const told = withBootstrap({ claim, nodeClass, capacityType: 'spot', maxPods: 0, settings });
  return typeof told === 'string' ? sizeProblem(told) : told.problem;
}

/** A NodeClaim that has nothing of its own to say to its node. */
const plainClaim = ({ meta }: NodeClass): NodeClaim => ({
  meta: { ...meta, labels: {}, annotations: {} },
  spec: {
    taints: [],
    startupTaints: [],
    requirements: [],
    requests: {},
    nodeClassRef: { group: '', kind: '', name: meta.name },
    expireAfter: Number.POSITIVE_INFINITY,
  },
  status: { capacity: {}, allocatable: {}, conditions: [] },
});

function formatProblem({ name }: AmiFamily, written: string): string | undefined {
  if (name === 'Bottlerocket') return bottlerocketProblem(written);
  const isArchive = (name === 'AL2' || name === 'AL2023') && isMime(written);
  return isArchive && readMime(written) === undefined ? NOT_MIME : undefined;
}

function sizeProblem(userData: string): string | undefined {
  const bytes = new TextEncoder().encode(userData).length;
  return bytes > MOST_BYTES
    ? `comes to ${bytes} bytes, and EC2 takes ${MOST_BYTES} at most`
    : undefined;
}

function withBootstrap(identity: NodeIdentity): string | { readonly problem: string } {
  const written = identity.nodeClass.spec.userData ?? '';
  switch (amiFamilyOf(identity.nodeClass).name) {
    case 'AL2':
      return archiveOf(written, () => SHELL_SCRIPT, {
        headers: SHELL_SCRIPT,
        body: al2Bootstrap(identity),
      });
    case 'AL2023':
      return archiveOf(written, (text) => (isMapping(text) ? NODE_CONFIG : SHELL_SCRIPT), {
        headers: NODE_CONFIG,
        body: nodeConfigOf(identity),
      });
    case 'Bottlerocket':
      return bottlerocketSettings(identity);
    case 'Windows2019':
    case 'Windows2022':
    case 'Windows2025':
      return windowsBootstrap(identity);
    case 'Custom':
      return written;
  }
}

/** An archive of what the user wrote, and after it our own part. */
function archiveOf(
  written: string,
  headersFor: (text: string) => MimePart['headers'],
  ours: MimePart,
): string | { readonly problem: string } {
  const own = isMime(written) ? readMime(written) : plainParts(written, headersFor);
  if (own === undefined) return { problem: NOT_MIME };
  // A carriage return that an editor left would end up in the names of programs.
  return writeMime([...own, ours]).replaceAll('\r', '');
}

const plainParts = (
  written: string,
  headersFor: (text: string) => MimePart['headers'],
): readonly MimePart[] =>
  written.trim() === '' ? [] : [{ headers: headersFor(written), body: written }];

/** Whether a text is a YAML mapping, or nothing but comments. */
function isMapping(text: string): boolean {
  const document = parseDocument(text, { version: '1.1', logLevel: 'silent' });
  if (document.errors.length > 0) return false;
  try {
    const value: unknown = document.toJS();
    return value === null || (typeof value === 'object' && !Array.isArray(value));
  } catch {
    // An alias of nothing is only found out now.
    return false;
  }
}
