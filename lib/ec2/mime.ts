import { compareText } from '#lib/constraints/order.ts';

/** One document of a multipart archive. Headers are written sorted by name. */
export interface MimePart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const BOUNDARY = '//';

/**
 * The archive that cloud-init and nodeadm read, documents in this order.
 *
 * Source: cloud-init, User data formats; RFC 2046, 5.1.
 */
export function writeMime(parts: readonly MimePart[]): string {
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${BOUNDARY}"\n\n`;
  const documents = parts.map(({ headers, body }) => {
    const lines = Object.entries(headers)
      .sort(([a], [b]) => compareText(a, b))
      .map(([name, value]) => `${name}: ${value}\n`);
    return `--${BOUNDARY}\n${lines.join('')}\n${body}\n`;
  });
  return `${head}${documents.join('')}--${BOUNDARY}--\n`;
}

/** Whether a text claims to be an archive. */
export const isMime = (text: string): boolean => /^\s*(MIME-Version|Content-Type):/.test(text);

/** The documents of an archive, or undefined where it is none: no headers, or no boundary. */
export function readMime(text: string): readonly MimePart[] | undefined {
  const archive = splitHead(text);
  const contentType = archive?.headers['Content-Type'] ?? '';
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (archive === undefined || boundary === undefined) return undefined;
  const [, ...documents] = `\n${archive.body}`.split(`\n--${boundary}`);
  const end = documents.findIndex((document) => document.startsWith('--'));
  const parts = (end === -1 ? documents : documents.slice(0, end)).map((document) =>
    splitHead(document.slice(document.indexOf('\n') + 1)),
  );
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** Headers up to the first empty line, and what follows it; undefined where one is no header. */
function splitHead(text: string): MimePart | undefined {
  const lines = text.split('\n');
  const empty = lines.indexOf('');
  if (empty <= 0) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines.slice(0, empty)) {
    const [, name, value] = /^([A-Za-z-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    headers[name] = value;
  }
  return { headers, body: lines.slice(empty + 1).join('\n') };
}
