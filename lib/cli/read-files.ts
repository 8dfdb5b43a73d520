import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type FileContents, readDocuments } from './read-documents.ts';

/** What a folder is searched for. Source: kubectl, --filename, and .gz of the same. */
const READABLE = /\.(?:json|ya?ml)(?:\.gz)?$/;
/** A file that unpacks to more is not a cluster but a mistake. */
const MAX_UNPACKED_BYTES = 1_000_000_000;

const unzip = promisify(gunzip);

/**
 * Reads files and folders as kubectl does: JSON and YAML, several documents in one file, Lists
 * unfolded; also gzipped. A folder gives its own files by name, not those of folders in it. What
 * cannot be read is a problem beside what can. Never throws for a bad file.
 */
export async function readFiles(paths: readonly string[]): Promise<FileContents> {
  const contents: FileContents[] = [];
  for (const path of paths) contents.push(await readPath(path));
  return {
    documents: contents.flatMap(({ documents }) => documents),
    problems: contents.flatMap(({ problems }) => problems),
  };
}

async function readPath(path: string): Promise<FileContents> {
  try {
    if (!(await stat(path)).isDirectory()) return await readOne(path);
    const names = (await readdir(path)).filter((name) => READABLE.test(name)).sort();
    if (names.length === 0) {
      return problem(path, 'the folder holds no .yaml, .yml or .json file (or .gz of one)');
    }
    return await readFiles(names.map((name) => join(path, name)));
  } catch (error) {
    return problem(path, sentenceFor(error));
  }
}

async function readOne(file: string): Promise<FileContents> {
  const bytes = await readFile(file);
  if (bytes.length === 0) return problem(file, 'the file is empty');
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const unpacked = isZipped ? await unzip(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }) : bytes;
  return readDocuments(file, unpacked.toString('utf8'));
}

const problem = (file: string, text: string): FileContents => ({
  documents: [],
  problems: [{ file, problem: text }],
});

function sentenceFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'it may not be read';
    case 'ERR_BUFFER_TOO_LARGE':
      return `it unpacks to more than ${MAX_UNPACKED_BYTES / 1e9} GB`;
    default:
      return error instanceof Error ? `it cannot be read: ${error.message}` : String(error);
  }
}
