import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

/** The folder of the emulator, in which what judges templates has its own. */
const FOLDER = '.moto/lint';
const NEEDED = ['cfn-lint==1.58.0', 'aws-sam-translator==1.115.0'];
const TEMPLATE = 'infra/template.yaml';
const TRANSLATE = fileURLToPath(new URL('translate-sam.py', import.meta.url));

function python(...args: readonly string[]) {
  const env = {
    ...process.env,
    PYTHONPATH: FOLDER,
    PYTHONNOUSERSITE: '1',
    AWS_DEFAULT_REGION: 'us-east-1',
  };
  return spawnSync('python3', args, { encoding: 'utf8', env });
}

/** Installs once what the tests ask. */
function install(): void {
  const minor = /\d+\.\d+/.exec(python('--version').stdout)?.[0];
  const complete = `${FOLDER}/.complete-${NEEDED.join('-')}-${minor}`;
  if (existsSync(complete)) return;
  rmSync(FOLDER, { recursive: true, force: true });
  const pip = python(
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
    ...['--target', FOLDER, ...NEEDED],
  );
  if (pip.status !== 0) throw new Error(`pip could not install ${NEEDED}: ${pip.stderr}`);
  writeFileSync(complete, '');
}

describe('the SAM template', () => {
  beforeAll(install, 300_000);

  it('is faultless in the eyes of cfn-lint', () => {
    const { stdout, stderr } = python(
      ...[`${FOLDER}/bin/cfn-lint`, '--regions', 'us-east-1', '--', TEMPLATE],
    );

    expect(`${stdout}${stderr}`).toBe('');
  });

  it('is translated by SAM into the same resources', () => {
    const { stdout, stderr, status } = python(TRANSLATE, TEMPLATE);

    expect([status, stderr]).toEqual([0, '']);
    const types: Readonly<Record<string, number>> = JSON.parse(stdout);
    expect(types).toMatchObject({
      'AWS::Lambda::Function': 5,
      'AWS::SQS::Queue': 4,
      'AWS::Scheduler::Schedule': 3,
    });
    expect(Object.keys(types).filter((type) => type.startsWith('AWS::Serverless'))).toEqual([]);
  });
});
