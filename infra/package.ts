import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { BUNDLES, bundleAll } from './bundle.ts';

/** Where `packageAll` puts what is published, below the project's folder. */
export const PACKAGE = 'dist/package';

/** What is published of the tree, which keeps its shape; the rest only serves the checkout. */
const ROOTS = [
  'lib',
  'functions',
  'infra/joinery.ts',
  'infra/stack',
  'infra/parameters',
  'infra/cluster',
];
const BESIDE = ['LICENSE', 'README.md', 'infra/template.yaml'];
/** What a construct's user imports, and what is typed. */
const CONSTRUCT = 'infra/joinery';
const COMMAND = 'lib/cli/main';

/**
 * Makes the folder that `npm publish` is given: the tree as JavaScript, the types of the construct,
 * the bundles and whatever is read at run time. Takes half a minute, most of it for the types.
 */
export async function packageAll(project: string): Promise<string> {
  const folder = join(project, PACKAGE);
  await rm(folder, { recursive: true, force: true });
  await bundleAll(project);
  await emitTree(project, folder);
  for (const path of BESIDE) await cp(join(project, path), join(folder, path));
  await cp(join(project, BUNDLES), join(folder, BUNDLES), { recursive: true });
  emitTypes(project, folder);
  const manifest = publishedManifest(await readFile(join(project, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return folder;
}

/** What stands in package.json and is of use to who installs the package. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/**
 * The package.json of what is published, made of the checkout's. The tools of CDK are asked for by
 * who uses the construct, and by nobody else.
 */
function publishedManifest(text: string): Readonly<Record<string, unknown>> {
  const read: Manifest = JSON.parse(text);
  const { name, version, description, license, dependencies, devDependencies } = read;
  const peers = ['aws-cdk-lib', 'constructs'];
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=22' },
    bin: { [name]: `./${COMMAND}.js` },
    exports: {
      '.': { types: `./${CONSTRUCT}.d.ts`, default: `./${CONSTRUCT}.js` },
      './package.json': './package.json',
    },
    imports: Object.fromEntries(
      ['lib', 'functions', 'infra'].flatMap((room) => [
        [`#${room}/*.ts`, `./${room}/*.js`],
        [`#${room}/*`, `./${room}/*`],
      ]),
    ),
    dependencies,
    peerDependencies: Object.fromEntries(
      peers.map((peer) => [peer, devDependencies[peer]?.replace(/^(\d+)\..*/, '^$&')]),
    ),
    peerDependenciesMeta: Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
  };
}

async function emitTree(project: string, folder: string): Promise<void> {
  for (const root of ROOTS) {
    for (const path of await filesBelow(project, root)) {
      const to = join(folder, path);
      await mkdir(dirname(to), { recursive: true });
      if (!path.endsWith('.ts')) await cp(join(project, path), to);
      else {
        const text = await readFile(join(project, path), 'utf8');
        const mode = path === `${COMMAND}.ts` ? 0o755 : 0o644;
        await writeFile(to.replace(/\.ts$/, '.js'), published(path, text), { mode });
      }
    }
  }
}

async function filesBelow(project: string, root: string): Promise<readonly string[]> {
  if (root.endsWith('.ts')) return [root];
  const entries = await readdir(join(project, root), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
    .toSorted();
}

/** A module as it is published. Imports of `#lib/….ts` stay: the package maps them to JavaScript. */
function published(path: string, text: string): string {
  const { outputText } = ts.transpileModule(text, {
    fileName: path,
    compilerOptions: { ...LANGUAGE, rewriteRelativeImportExtensions: true },
  });
  return path === `${COMMAND}.ts` ? `#!/usr/bin/env node\n${outputText}` : outputText;
}

const LANGUAGE = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
} as const satisfies ts.CompilerOptions;

/** Types of what the construct's users see. Throws where they cannot be made. */
function emitTypes(project: string, folder: string): void {
  const program = ts.createProgram([join(project, `${CONSTRUCT}.ts`)], {
    ...LANGUAGE,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: project,
    outDir: folder,
  });
  const { diagnostics } = program.emit();
  if (diagnostics.length > 0) {
    const [first] = diagnostics;
    throw new Error(`no types: ${ts.flattenDiagnosticMessageText(first?.messageText, '\n')}`);
  }
}
