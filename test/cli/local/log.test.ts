import { describe, expect, it } from 'vitest';
import { localLog } from '#lib/cli/local/log.ts';
import { KubeFailure } from '#lib/kube/errors.ts';

function written(output: 'text' | 'json') {
  const lines: string[] = [];
  const log = localLog({ out: (line) => lines.push(line) }, output, () => 1_000);
  return { log, lines };
}

describe('the log of joinery local', () => {
  it('tells a person the time, what happened, and below it why', () => {
    const { log, lines } = written('text');
    log.info('provision: acted', { said: ['saw 5 pods', 'did launch'], rounds: 3 });
    log.error('provision: failed', { error: new RangeError('too far') });

    expect(lines.slice(0, 4)).toEqual([
      '00:00:01 provision: acted',
      '         saw 5 pods',
      '         did launch',
      '00:00:01 ERROR provision: failed',
    ]);
    expect(lines[4]).toContain('RangeError: too far');
  });

  it('spares a person the stack where an API server did not answer', () => {
    const { log, lines } = written('text');
    const message = 'GET /version: no answer (connect ECONNREFUSED)';
    log.error('provision: failed', { error: new KubeFailure('notNow', message, {}) });

    expect(lines).toEqual(['00:00:01 ERROR provision: failed', `         ${message}`]);
  });

  it('gives a machine one object a line, errors with their stacks', () => {
    const { log, lines } = written('json');
    log.warn('careful', { rounds: 3, error: new Error('a bug') });

    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      time: '1970-01-01T00:00:01.000Z',
      level: 'warn',
      message: 'careful',
      rounds: 3,
      error: expect.stringContaining('Error: a bug'),
    });
  });
});
