import { LineCounter, parseDocument } from 'yaml';
import { identityOf } from '#lib/kube/decode/decode.ts';

/** One object of a file. */
export interface FileDocument {
  readonly file: string;
  /** Counted from 1; what a List holds counts as the List's document. */
  readonly document: number;
  readonly object: Readonly<Record<string, unknown>>;
}

/** Why a file, or one document of it, could not be read: a sentence without its end. */
export interface FileProblem {
  readonly file: string;
  readonly document?: number;
  readonly problem: string;
}

/** What a number of files hold, in their order. */
export interface FileContents {
  readonly documents: readonly FileDocument[];
  readonly problems: readonly FileProblem[];
}

/**
 * A YAML document takes some hundred times its size to read, and a second for each 2.5 MB; one
 * that is larger is refused before it takes the machine's memory. JSON has no such limit.
 */
const MAX_YAML_DOCUMENT_BYTES = 5_000_000;
/** All YAML documents of a file together: what is larger would be read for minutes. */
const MAX_YAML_FILE_BYTES = 32_000_000;

/** The objects in the text of one file, JSON or YAML, Lists unfolded, and what cannot be read. */
export function readDocuments(file: string, text: string): FileContents {
  const documents: FileDocument[] = [];
  const problems: FileProblem[] = [];
  const take = (document: number, value: unknown): void => {
    if (value === null || value === undefined) return;
    for (const object of unfolded(value)) {
      const wrong = whatIsWrong(object);
      if (wrong === undefined) documents.push({ file, document, object: object as Wire });
      else problems.push({ file, document, problem: wrong });
    }
  };
  const json = asJson(file, text);
  if (json !== undefined && 'value' in json) take(1, json.value);
  else if (json !== undefined) problems.push({ file, problem: json.problem });
  else problems.push(...readYaml(file, text, take));
  if (documents.length === 0 && problems.length === 0) {
    problems.push({ file, problem: 'the file holds no object' });
  }
  return { documents, problems };
}

type Wire = Readonly<Record<string, unknown>>;

/** Undefined for what is to be read as YAML. */
function asJson(
  file: string,
  text: string,
): { readonly value: unknown } | { readonly problem: string } | undefined {
  const isJson = /\.json(?:\.gz)?$/.test(file);
  if (!isJson && !/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (!isJson) return undefined;
    return { problem: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function readYaml(
  file: string,
  text: string,
  take: (document: number, value: unknown) => void,
): readonly FileProblem[] {
  if (text.length > MAX_YAML_FILE_BYTES) return [{ file, problem: tooLarge(text, 'file') }];
  return pieces(text).flatMap((piece, index) => {
    const document = index + 1;
    const read = readPiece(piece);
    if ('problem' in read) return [{ file, document, problem: read.problem }];
    take(document, read.value);
    return [];
  });
}

function readPiece(piece: Piece): { readonly value: unknown } | { readonly problem: string } {
  if (piece.text.length > MAX_YAML_DOCUMENT_BYTES) {
    return { problem: tooLarge(piece.text, 'document') };
  }
  const lines = new LineCounter();
  const parsed = parseDocument(piece.text, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
  });
  const [error] = parsed.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    const place = `(line ${piece.line + line}, column ${col})`;
    return { problem: `it is not YAML: ${error.message} ${place}` };
  }
  try {
    return { value: parsed.toJS() as unknown };
  } catch (cause) {
    return { problem: `it is not YAML: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
}

const tooLarge = (text: string, what: 'file' | 'document'): string =>
  `the ${what} is ${Math.ceil(text.length / 1e6)} MB of YAML, which is more than the ` +
  `${(what === 'file' ? MAX_YAML_FILE_BYTES : MAX_YAML_DOCUMENT_BYTES) / 1e6} MB that are read; ` +
  'write it as JSON, or divide it';

/** The text of one YAML document, and how many lines stand before it. */
interface Piece {
  readonly text: string;
  readonly line: number;
}

/**
 * The documents of a YAML text. A line that starts with three dashes begins a document wherever it
 * stands; blank lines, comments and directives before the first belong to the first.
 */
function pieces(text: string): readonly Piece[] {
  const [first = '', ...rest] = text.split(/^(?=---(?:\s|$))/m);
  const isPreamble = first.split('\n').every((line) => /^(?:\s*$|\s*#|%)/.test(line));
  const parts =
    isPreamble && rest.length > 0 ? [first + rest[0], ...rest.slice(1)] : [first, ...rest];
  const found: Piece[] = [];
  let line = 0;
  for (const part of parts) {
    found.push({ text: part, line });
    line += countLines(part);
  }
  return found;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The items of a List (of any kind, its items' kind filled in), or the object itself. */
function unfolded(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  const { kind, apiVersion } = identityOf(value);
  if (!kind.endsWith('List') || !('items' in value) || !Array.isArray(value.items)) return [value];
  const itemKind = kind.slice(0, -'List'.length);
  const items: readonly unknown[] = value.items;
  if (itemKind === '') return items.flatMap(unfolded);
  return items.map((item) =>
    typeof item === 'object' && item !== null ? { apiVersion, kind: itemKind, ...item } : item,
  );
}

function whatIsWrong(object: unknown): string | undefined {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    return `found ${Array.isArray(object) ? 'a list' : `the ${typeof object} ${brief(object)}`}, expected an object of Kubernetes`;
  }
  const { kind, apiVersion } = identityOf(object);
  if (kind === '') return 'the object says no kind';
  return apiVersion === '' ? `the ${kind} says no apiVersion` : undefined;
}

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
};
