import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER = new URL('.', import.meta.url).pathname;
/** Whatever of these changes makes another program. */
const SOURCES = ['go.mod', 'go.sum', 'main.go'];
const VERSION = 'k8s.io/component-base/version';

/** Without a version the API server calls itself v0.0.0, and clients misbehave. */
const versionFlags = (version: string): string => {
  const [major = '', minor = ''] = version.slice(1).split('.');
  return `-s -w -X ${VERSION}.gitVersion=${version} -X ${VERSION}.gitMajor=${major} -X ${VERSION}.gitMinor=${minor}`;
};

/**
 * Where the control plane's program lies: one that was built from the same sources before, or one
 * that is built now, which takes minutes and says so to `tell`. It is kept beside other caches of
 * the user, so that a fresh clone and `npm ci` leave it alone.
 */
export function controlPlaneBinary(tell: (line: string) => void): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'joinery');
  const binary = join(cache, `control-plane-${digestOfSources()}`);
  if (existsSync(binary)) return binary;
  const go = spawnSync('go', ['version'], { encoding: 'utf8' });
  if (go.status !== 0) {
    throw new Error(
      'The end-to-end tests build Kubernetes, which takes Go 1.26 or later, and there is no go on the PATH: see https://go.dev/doc/install',
    );
  }
  tell(`building etcd, Kubernetes and kwok with ${go.stdout.trim()}: 6 to 20 minutes, once`);
  mkdirSync(cache, { recursive: true });
  const unfinished = `${binary}.${process.pid}`;
  const built = spawnSync(
    'go',
    ['build', '-trimpath', '-ldflags', versionFlags(kubernetesVersion()), '-o', unfinished, '.'],
    {
      cwd: FOLDER,
      // Not as part of whatever module or workspace lies around the tree.
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-buildvcs=false' },
      encoding: 'utf8',
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  );
  if (built.status !== 0) {
    throw new Error(`The control plane could not be built: ${built.stderr.slice(-4_000)}`);
  }
  renameSync(unfinished, binary);
  return binary;
}

/** The version of Kubernetes that go.mod pins, such as v1.36.3. */
export function kubernetesVersion(): string {
  const pinned = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(FOLDER, 'go.mod'), 'utf8'));
  if (pinned?.[1] === undefined)
    throw new Error('expected k8s.io/kubernetes in go.mod, found none');
  return pinned[1];
}

function digestOfSources(): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const name of SOURCES) hash.update(readFileSync(join(FOLDER, name)));
  return hash.digest('hex').slice(0, 16);
}
