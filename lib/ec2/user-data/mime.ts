import { compareText } from '#lib/constraints/order.ts';

/** One document of a multipart archive. Headers are written sorted by name. */
export interface MimePart {
  /** By name as RFC 2045 spells it: Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const BOUNDARY = '//';

/**
 * The archive that cloud-init and nodeadm read, documents in this order.
 *
 * Parts pass through untouched, which no MIME library offers without promises or streams: they
 * read mail, and decode, regroup and drop what they do not know.
 *
 * Source: cloud-init, User data formats; RFC 2046, 5.1.
 */
export function writeMime(parts: readonly MimePart[]): string {
  const boundary = boundaryFor(parts);
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n\n`;
  const documents = parts.map(({ headers, body }) => {
    const lines = Object.entries(headers)
      .sort(([a], [b]) => compareText(a, b))
      .map(([name, value]) => `${name}: ${value}\n`);
    return `--${boundary}\n${lines.join('')}\n${body}\n`;
  });
  return `${head}${documents.join('')}--${boundary}--\n`;
}

/** The usual boundary, made longer until no document has a line that would end it. */
function boundaryFor(parts: readonly MimePart[]): string {
  let boundary = BOUNDARY;
  while (parts.some(({ body }) => `\n${body}`.includes(`\n--${boundary}`))) boundary += '=';
  return boundary;
}

/** Whether a text claims to be an archive. */
export const isMime = (text: string): boolean => /^\s*(MIME-Version|Content-Type):/.test(text);

/**
 * The documents of an archive, lines ended by \n whatever ended them, or undefined where it is
 * none: no headers, not multipart, no boundary, or no end.
 */
export function readMime(text: string): readonly MimePart[] | undefined {
  const archive = splitHead(text.replaceAll('\r\n', '\n').split('\n'));
  const contentType = archive?.headers['Content-Type'] ?? '';
  const [, quoted, plain] =
    /^multipart\/.*;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (archive === undefined || boundary === undefined) return undefined;
  const documents = splitAt(archive.body.split('\n'), `--${boundary}`);
  const parts = documents?.map(splitHead);
  return parts?.every((part) => part !== undefined) ? parts : undefined;
}

/** The lines between one delimiter and the next, until the one that ends all. */
function splitAt(
  lines: readonly string[],
  delimiter: string,
): readonly (readonly string[])[] | undefined {
  const documents: string[][] = [];
  for (const line of lines) {
    const bare = line.trimEnd();
    if (bare === `${delimiter}--`) return documents;
    if (bare === delimiter) documents.push([]);
    else documents.at(-1)?.push(line);
  }
  return undefined;
}

/** Headers up to the first empty line, and what follows it; undefined where one is no header. */
function splitHead(lines: readonly string[]): MimePart | undefined {
  const empty = lines.indexOf('');
  if (empty <= 0) return undefined;
  const headers: Record<string, string> = {};
  // A line that begins with white space carries the one before it on.
  const unfolded = lines
    .slice(0, empty)
    .join('\n')
    .replaceAll(/\n[ \t]+/g, ' ');
  for (const line of unfolded.split('\n')) {
    const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    headers[spelled(name)] = value;
  }
  return { headers, body: lines.slice(empty + 1).join('\n') };
}

/** Names of headers are the same in any case: content-type is Content-Type. */
const spelled = (name: string): string =>
  name.toLowerCase() === 'mime-version'
    ? 'MIME-Version'
    : name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
