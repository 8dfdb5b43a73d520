import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DecodeError } from '#lib/kube/decode/field.ts';

const unzip = promisify(gunzip);

/** The text of a file, unpacked where it is gzipped. Throws as readFile does. */
export async function textOfFile(path: string): Promise<string> {
  const bytes = await readFile(path);
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isZipped ? await unzip(bytes) : bytes).toString('utf8');
}

/**
 * Why a JSON file cannot be used, as a sentence. `what` names the kind of file, `form` says where
 * its form is written down.
 */
export function fileSentence(error: unknown, what: string, form: string): string {
  if (error instanceof DecodeError) return `${error.message} (see ${form})`;
  if (error instanceof SyntaxError) return `it is not JSON: ${error.message}`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `there is no such ${what} file`;
  if (code === 'EISDIR') return `it is a folder; name one ${what} file`;
  return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
