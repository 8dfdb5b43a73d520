import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

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
  return { name, folder, bytes };
}
