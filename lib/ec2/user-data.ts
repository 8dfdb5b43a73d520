import { parseDocument } from 'yaml';
import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import { isMime, type MimePart, readMime, writeMime } from './mime.ts';
import { type NodeIdentity, nodeConfigOf } from './node-config.ts';

const NODE_CONFIG = { 'Content-Type': 'application/node.eks.aws' };
const SHELL_SCRIPT = { 'Content-Type': 'text/x-shellscript; charset="us-ascii"' };

/**
 * The user data of an AL2023 instance: the user's own parts, then Joinery's NodeConfig, which
 * wins where both say something. Refused where the user's text claims to be a MIME archive and
 * is none.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/bootstrap/nodeadm.go.
 */
export function userDataOf(identity: NodeIdentity): string | Rejection {
  const own = userParts(identity.nodeClass.spec.userData ?? '');
  if (own === undefined) {
    const name = identity.nodeClass.meta.name;
    return reject(
      'nodeClass',
      `the userData of EC2NodeClass ${name} starts like a MIME archive and cannot be read as one`,
    );
  }
  const parts = [...own, { headers: NODE_CONFIG, body: nodeConfigOf(identity) }];
  // A carriage return that an editor left would end up in the names of programs.
  return writeMime(parts).replaceAll('\r', '');
}

/** What the user wrote, as documents: an archive, a NodeConfig, or a script. */
function userParts(written: string): readonly MimePart[] | undefined {
  if (written.trim() === '') return [];
  if (isMime(written)) return readMime(written);
  return [{ headers: isMapping(written) ? NODE_CONFIG : SHELL_SCRIPT, body: written }];
}

/** Whether a text is a YAML mapping, or nothing but comments. */
function isMapping(text: string): boolean {
  const document = parseDocument(text, { version: '1.1', logLevel: 'silent' });
  if (document.errors.length > 0) return false;
  const value: unknown = document.toJS();
  return value === null || (typeof value === 'object' && !Array.isArray(value));
}
