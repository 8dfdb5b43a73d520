import { decodeObjects, identityOf } from '#lib/kube/decode/decode.ts';
import type { Wire } from '#lib/kube/decode/field.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { filledIn, latestInstant, prioritiesOf } from './file-objects.ts';
import { createOwnKinds, isOwnKind } from './own-kinds.ts';
import type { FileDocument } from './read-documents.ts';
import { readFiles } from './read-files.ts';

/** A NodeClass, or all that is wrong with the files that were to hold one. */
export type FileNodeClass =
  | { readonly nodeClass: NodeClass }
  | { readonly problems: readonly string[] };

/** What a NodeClass says where nobody wrote one: AL2023 with everything as it comes. */
const USUAL: Wire = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: { amiSelectorTerms: [{ alias: 'al2023@latest' }] },
};

/**
 * The EC2NodeClass that files hold, the one named `wanted` where they hold several; the usual one
 * where no files are named. Objects of other kinds are passed over.
 */
export async function readNodeClass(
  files: readonly string[],
  wanted?: string,
): Promise<FileNodeClass> {
  if (files.length === 0) return decoded(USUAL);
  const { documents, problems } = await readFiles(files);
  if (problems.length > 0) {
    return { problems: problems.map(({ file, problem }) => `${file}: ${problem}`) };
  }
  const found = documents.filter(
    ({ object }) => isOwnKind(object) && identityOf(object).kind === 'EC2NodeClass',
  );
  const chosen = found.filter(
    ({ object }) => wanted === undefined || identityOf(object).name === wanted,
  );
  const [document, another] = chosen;
  if (document === undefined || another !== undefined) {
    return { problems: [`${files.join(', ')}: ${choiceProblem(found, wanted)}`] };
  }
  const own = createOwnKinds()(document.object);
  if ('refusals' in own) {
    return { problems: own.refusals.map((refusal) => `${placeOf(document)}: ${refusal}`) };
  }
  return decoded(own.object, `${placeOf(document)}: `);
}

function choiceProblem(found: readonly FileDocument[], wanted: string | undefined): string {
  const names = found.map(({ object }) => identityOf(object).name);
  if (names.length === 0) return 'no EC2NodeClass is in there; name a file that holds one';
  const listed = `EC2NodeClass${names.length === 1 ? '' : 'es'} ${names.join(', ')}`;
  return wanted === undefined
    ? `several are in there, ${listed}: choose one with --node-class`
    : `${listed} in there, but not exactly one named ${wanted}`;
}

function decoded(object: Wire, place = ''): FileNodeClass {
  const now = latestInstant([object]);
  const { objects, leftOut } = decodeObjects([filledIn(object, now, prioritiesOf([]))]);
  const [nodeClass] = objects.nodeClasses;
  if (nodeClass !== undefined) return { nodeClass };
  return { problems: leftOut.map(({ field, problem }) => `${place}${field}: ${problem}`) };
}

const placeOf = ({ file, document }: FileDocument): string => `${file}, document ${document}`;
