import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE, packageAll } from '#infra/package.ts';

const project = process.cwd();
/** A project of somebody's, far from the checkout. */
const app = mkdtempSync(join(tmpdir(), 'joinery-app-'));

const APP = `
import { App, Stack } from 'aws-cdk-lib/core';
import { type AlarmLimits, type Door, Joinery, type JoineryProps, type ScheduleProps } from 'joinery';

const door: Door = 'function-url';
const window: ScheduleProps = { expression: 'cron(0/5 2-5 ? * SAT *)', timeZone: 'Europe/Berlin' };
const alarms: Partial<AlarmLimits> = { nodes: 50 };
const props: JoineryProps = {
  ...{ clusterName: 'shop', webhookPath: 'f'.repeat(40), door, alarms },
  consolidateSchedules: [window],
};
const app = new App();
const joinery = new Joinery(new Stack(app, 'Shop'), 'Joinery', props);
const told: readonly [string, string | undefined] = [joinery.nodeRoleArn, joinery.webhookUrl];
const { Resources } = app.synth().getStackByName('Shop').template;
const types = Object.values(Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
const functions = types.filter((type) => type === 'AWS::Lambda::Function').length;
process.stdout.write(\`\${functions} functions, \${told.length} answers\`);
// @ts-expect-error: the cluster must be named
export const nameless = () => new Joinery(new Stack(app, 'Other'), 'Joinery', { door: 'none' });
`;

/** As strict as a user's compiler can be while CDK's own types pass. */
const COMPILER = {
  files: ['app.ts'],
  compilerOptions: {
    ...{ module: 'nodenext', target: 'es2023', types: ['node'], outDir: '.' },
    ...{ strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
  },
};

function run(command: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: app, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function mustRun(command: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = run(command, ...args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}

/** What the checkout has of a package, so that npm finds it in its cache. */
function pinned(name: string): string {
  const manifest = join(project, 'node_modules', name, 'package.json');
  return `${name}@${JSON.parse(readFileSync(manifest, 'utf8')).version}`;
}

/** Packs and installs as a user would. */
async function install(): Promise<void> {
  await packageAll(project);
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(COMPILER));
  writeFileSync(join(app, 'app.ts'), APP);
  mustRun('npm', 'pack', '--silent', join(project, PACKAGE));
  const [packed = ''] = readdirSync(app).filter((name) => name.endsWith('.tgz'));
  const beside = ['aws-cdk-lib', 'constructs', 'typescript', '@types/node'].map(pinned);
  mustRun('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', packed, ...beside);
}

describe('the package', () => {
  beforeAll(install, 600_000);
  afterAll(() => rmSync(app, { recursive: true, force: true }), 60_000);

  it('gives the construct, with its types, to an app of the user', { timeout: 300_000 }, () => {
    expect(run('npx', 'tsc')).toMatchObject({ status: 0, stdout: '' });
    expect(run(process.execPath, 'app.js')).toMatchObject({
      status: 0,
      stdout: '5 functions, 2 answers',
    });
  });

  it('tells whoever writes no types what is missing, too', () => {
    const { stderr } = run(process.execPath, '-e', "import('./app.js').then((a) => a.nameless())");

    expect(stderr).toContain('Joinery: clusterName is missing: give the name of an EKS cluster');
  });

  it('has its command', () => {
    expect(run('npx', 'joinery', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: joinery'),
    });
  });

  it('installs into a cluster what stands in it, from its own files', () => {
    const { status, stdout } = run('npx', 'joinery', 'install', '--dry-run');

    expect(status).toBe(0);
    expect(stdout).toContain('kind: CustomResourceDefinition');
  });

  it('plays a story from its own files', () => {
    const { status, stdout } = run('npx', 'joinery', 'stories', '1');

    expect([status, stdout.split('\n').filter((line) => line.startsWith('FAILED'))]).toEqual([
      0,
      [],
    ]);
  });
});
