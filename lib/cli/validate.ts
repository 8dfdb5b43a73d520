import { poolWarnings } from '#lib/disruption/consent-warnings.ts';
import { decodeObjects, identityOf } from '#lib/kube/decode/decode.ts';
import { nodePoolProblems } from '#lib/model/validation/node-pool-validation.ts';
import { type Admission, admit } from '#lib/sim/schema/admit.ts';
import { type CustomResource, readCrd } from '#lib/sim/schema/custom-resource.ts';
import type { FieldError } from '#lib/sim/schema/field-error.ts';
import { crdTexts } from './crds.ts';
import type { Io } from './io.ts';
import type { FileDocument } from './read-documents.ts';
import { readFiles } from './read-files.ts';

/** What is said of one manifest, as `-o json` prints it. */
interface Verdict {
  readonly kind: string;
  readonly name: string;
  readonly file: string;
  readonly document: number;
  readonly ok: boolean;
  readonly errors: readonly FieldError[];
}

/**
 * Says of each manifest of our kinds whether an API server would take it, in the API server's
 * words, and of each NodePool that it would take whether the controller would use it.
 *
 * Returns the exit status: 0 all good; 1 something is bad, cannot be read, or there is nothing to
 * say anything of; 2 no files named. Warnings and problems with files go to `io.err`: fields that
 * would be dropped, values that Joinery cannot work with, kinds that are not ours. A name that an
 * API server would not take is a warning too, because names are often completed by tools.
 * Source: karpenter v1.14, the CRDs' schemas and rules, and RuntimeValidate.
 */
export async function validateCommand(
  args: { readonly files: readonly string[]; readonly output: 'json' | 'text' },
  io: Pick<Io, 'out' | 'err'>,
): Promise<number> {
  if (args.files.length === 0) {
    io.err('Name a file or a folder with manifests: joinery validate -f <path>');
    return 2;
  }
  const { documents, problems } = await readFiles(args.files);
  for (const { file, document, problem } of problems) {
    io.err(`${document === undefined ? file : place({ file, document })}: ${problem}`);
  }
  const resources = crdTexts().map(readCrd);
  const verdicts = documents.flatMap((document) => verdictOn(document, resources, io) ?? []);
  warnOfOtherKinds(documents, resources, io);
  if (args.output === 'json') io.out(JSON.stringify(verdicts, null, 2));
  else print(verdicts, io);
  if (verdicts.length === 0 && problems.length === 0) {
    io.err('There is nothing to validate: no manifest is of a kind that Joinery installs.');
  }
  const isGood = problems.length === 0 && verdicts.length > 0 && verdicts.every(({ ok }) => ok);
  return isGood ? 0 : 1;
}

/** Undefined for an object that is not of our kinds. */
function verdictOn(
  { file, document, object }: FileDocument,
  resources: readonly CustomResource[],
  io: Pick<Io, 'err'>,
): Verdict | undefined {
  const { apiVersion, kind, name } = identityOf(object);
  const [group, version] = groupAndVersion(apiVersion);
  const resource = resources.find((one) => one.names.kind === kind && one.group === group);
  if (resource === undefined) return undefined;
  const served = resource.versions.find((one) => one.name === version && one.served);
  const warn = (text: string) =>
    io.err(`warning: ${place({ file, document })}: ${kind} ${name}: ${text}`);
  const errors =
    served === undefined ? [noMatch(kind, apiVersion)] : errorsOf(admit(served, object), warn);
  return { kind, name, file, document, ok: errors.length === 0, errors };
}

function errorsOf(admission: Admission, warn: (text: string) => void): readonly FieldError[] {
  for (const path of admission.pruned) warn(`${path} is not a known field and would be dropped`);
  const isName = ({ path, message }: FieldError) => path === 'metadata.name' && isInvalid(message);
  for (const { path, message } of admission.errors.filter(isName)) warn(`${path}: ${message}`);
  const errors = admission.errors.filter((error) => !isName(error));
  return errors.length === 0 ? runtimeErrors(admission, warn) : errors;
}

function isInvalid(message: string): boolean {
  return message.startsWith('Invalid value');
}

/**
 * What the controller has against a NodePool that the API server takes; and warnings where Joinery
 * cannot work with an object at all, or what it says of disruption means nothing.
 */
function runtimeErrors({ object }: Admission, warn: (text: string) => void): readonly FieldError[] {
  const { objects, leftOut } = decodeObjects([asCreated(object)]);
  for (const { field, problem } of leftOut) warn(`Joinery leaves it out: ${field}: ${problem}`);
  for (const problem of objects.nodePools.flatMap((pool) => poolWarnings(pool, {}))) warn(problem);
  return objects.nodePools.flatMap(nodePoolProblems).map((message) => ({ path: '', message }));
}

/** With what an API server would write on it, so that it can be decoded. */
function asCreated(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given = { name: '-', uid: '-', creationTimestamp: '1970-01-01T00:00:00Z' };
  return { ...object, metadata: { ...given, ...Object(object.metadata) } };
}

function noMatch(kind: string, version: string): FieldError {
  return { path: 'apiVersion', message: `no matches for kind "${kind}" in version "${version}"` };
}

function warnOfOtherKinds(
  documents: readonly FileDocument[],
  resources: readonly CustomResource[],
  io: Pick<Io, 'err'>,
): void {
  const times = new Map<string, number>();
  for (const { object } of documents) {
    const { apiVersion, kind } = identityOf(object);
    const [group] = groupAndVersion(apiVersion);
    if (resources.some((one) => one.names.kind === kind && one.group === group)) continue;
    const name = kind === '' ? 'no kind' : `kind ${kind} (${apiVersion})`;
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  for (const [name, count] of [...times].sort()) {
    io.err(`warning: objects of ${name} are not looked at: ${count}`);
  }
}

function print(verdicts: readonly Verdict[], io: Pick<Io, 'out'>): void {
  for (const verdict of verdicts) {
    const { kind, name, ok, errors } = verdict;
    io.out(`${place(verdict)}: ${kind} ${name}: ${ok ? 'accepted' : 'refused'}`);
    for (const { path, message } of errors) io.out(`  ${path === '' ? '' : `${path}: `}${message}`);
  }
  const refused = verdicts.filter(({ ok }) => !ok).length;
  if (verdicts.length > 0) io.out(`${verdicts.length - refused} accepted, ${refused} refused`);
}

function place({ file, document }: { file: string; document: number }): string {
  return `${file}, document ${document}`;
}

/** As in `no matches for kind "NodePool" in version "karpenter.sh/v1beta1"`. */
function groupAndVersion(apiVersion: string): readonly [group: string, version: string] {
  const slash = apiVersion.indexOf('/');
  return [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
}
