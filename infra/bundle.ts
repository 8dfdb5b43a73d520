import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

/** What Lambda runs, by the name of its bundle: the file whose `handler` is invoked. */
export const ENTRIES = {
  provision: 'functions/provision/index.ts',
  admit: 'functions/provision/admit.ts',
  consolidate: 'functions/consolidate/index.ts',
  drift: 'functions/drift/index.ts',
  interrupt: 'functions/interrupt/index.ts',
} as const;

/** The bundle of one function. */
export type BundleName = keyof typeof ENTRIES;

/** Where `bundleAll` puts them below the project's folder, each in a folder of its name. */
export const BUNDLES = 'dist/functions';

/** A bundle above this is refused: reading it would be felt at each cold start. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Packages that are ES modules may still hold others that ask for `require`. */
const REQUIRE = `import{createRequire}from'node:module';const require=createRequire(import.meta.url);`;

/** A bundle on disk: its folder and what Lambda would have to read at most. */
export interface Bundle {
  readonly name: BundleName;
  readonly folder: string;
  readonly bytes: number;
  /** What is read and compiled before the first invocation; the rest waits until it is called for. */
  readonly atStart: AtStart;
}

interface AtStart {
  readonly bytes: number;
  /** Whose it is, by package, our own code being `lib`; the largest first. */
  readonly parts: readonly (readonly [name: string, bytes: number])[];
}

/**
 * Makes the folders that Lambda is given: `index.mjs` and the parts that are loaded when they are
 * needed. Throws where a bundle is larger than 5 MiB.
 *
 * The client of a kubeconfig stays out: in Lambda the cluster is spoken to over plain https. Packages
 * are taken as ES modules, so that of an SDK client only the operations in use are left.
 */
export async function bundleAll(project: string): Promise<readonly Bundle[]> {
  const names = Object.keys(ENTRIES).filter((name): name is BundleName => name in ENTRIES);
  return await Promise.all(names.map((name) => bundleOne(project, name)));
}

async function bundleOne(project: string, name: BundleName): Promise<Bundle> {
  const folder = join(project, BUNDLES, name);
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: { index: ENTRIES[name] },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    external: ['@kubernetes/client-node'],
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
  const files = Object.keys(metafile.outputs).map((file) => stat(join(project, file)));
  const bytes = (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) {
    throw new Error(`the bundle of ${name} has ${bytes} bytes; at most ${MAX_BYTES} are allowed`);
  }
  return { name, folder, bytes, atStart: atStartOf(metafile, ENTRIES[name]) };
}

function atStartOf({ outputs }: Metafile, entry: string): AtStart {
  const read = readFrom(outputs, entry);
  const parts = new Map<string, number>();
  for (const { inputs } of read) {
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? ownPart(input);
      parts.set(name, (parts.get(name) ?? 0) + bytesInOutput);
    }
  }
  return {
    bytes: read.reduce((sum, { bytes }) => sum + bytes, 0),
    parts: [...parts].toSorted(([, left], [, right]) => right - left),
  };
}

const ownPart = (input: string): string => (input.endsWith('.json') ? "EC2's table" : 'lib');

type Outputs = Metafile['outputs'];

/** The output of an entry and those that it imports by statement, not those it imports on demand. */
function readFrom(outputs: Outputs, entry: string): readonly Outputs[string][] {
  const isEntry = (path: string): boolean => outputs[path]?.entryPoint === entry;
  const read = new Set(Object.keys(outputs).filter(isEntry));
  for (const path of read) {
    const imports = outputs[path]?.imports ?? [];
    for (const { kind, path: next } of imports) if (kind === 'import-statement') read.add(next);
  }
  return [...read].flatMap((path) => outputs[path] ?? []);
}
