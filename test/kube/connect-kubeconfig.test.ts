import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connectKubeconfig, readKubeconfig } from '#lib/kube/connect-kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function written(text: string): string {
  files += 1;
  const file = join(folder, `config-${files}`);
  writeFileSync(file, text);
  return file;
}

const naming = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': 'Y2E=' } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'k', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'k',
  });

describe('a kubeconfig', () => {
  it('tells where its current context’s cluster is, and who signs for it', () => {
    expect(readKubeconfig(written(naming('https://10.0.0.1:6443')))).toEqual({
      server: 'https://10.0.0.1:6443',
      certificateAuthority: 'Y2E=',
    });
  });

  it.each([
    ['is not there', join(folder, 'nowhere'), /kubeconfig .*nowhere cannot be read: ENOENT/],
    ['is no YAML', written('not: [yaml'), /kubeconfig .*config-1 cannot be read: [^\n]+$/],
  ])('that %s is named with the reason, in one line', (_what, file, message) => {
    expect(() => connectKubeconfig(file)).toThrow(message);
  });

  it.each([
    ['names no cluster', 'apiVersion: v1', 'found none'],
    ['names one without https', naming('http://10.0.0.1'), 'found http://10.0.0.1'],
    [
      'was made up because there is none',
      naming('http://localhost:8080'),
      'There is no kubeconfig',
    ],
  ])('that %s is refused', (_what, text, message) => {
    expect(() => connectKubeconfig(written(text))).toThrow(message);
  });
});
