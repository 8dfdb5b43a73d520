import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE, packageAll } from '#infra/package.ts';

const project = process.cwd();
const app = mkdtempSync(join(tmpdir(), 'joinery-app-'));
const installed = join(app, 'node_modules', 'joinery');

const APP = `
import { App, Stack } from 'aws-cdk-lib/core';
import { Joinery } from 'joinery';
const app = new App();
new Joinery(new Stack(app, 'Shop'), 'Joinery', { clusterName: 'shop', webhookPath: 'f'.repeat(40) });
const { Resources } = app.synth().getStackByName('Shop').template;
process.stdout.write(String(Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function').length));
`;

const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8' });

/** As npm would install it, its dependencies being the checkout's. */
async function install(): Promise<void> {
  await packageAll(project);
  mkdirSync(join(app, 'node_modules'));
  for (const name of readdirSync(join(project, 'node_modules'))) {
    symlinkSync(join(project, 'node_modules', name), join(app, 'node_modules', name));
  }
  await cp(join(project, PACKAGE), installed, { recursive: true });
  writeFileSync(join(app, 'app.mjs'), APP);
}

describe('the package', () => {
  beforeAll(install, 300_000);

  it('gives the construct to an app of the user', () => {
    expect(node('app.mjs')).toMatchObject({ status: 0, stdout: '5' });
  });

  it('has its command, which needs nothing of the checkout', () => {
    const { status, stdout } = node(join(installed, 'lib/cli/main.js'), 'install', '--dry-run');

    expect(status).toBe(0);
    expect(stdout).toContain('kind: CustomResourceDefinition');
  });

  it('plays a story from its own files', () => {
    const { status, stdout } = node(join(installed, 'lib/cli/main.js'), 'stories', '1');

    expect([status, stdout.split('\n').filter((line) => line.startsWith('FAILED'))]).toEqual([
      0,
      [],
    ]);
  });
});
