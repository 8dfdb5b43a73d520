import { describe, expect, it } from 'vitest';
import { describeHostPort, firstPortConflict, type HostPort } from '#lib/constraints/host-ports.ts';

const port = (ip: string, difference: Partial<HostPort> = {}): HostPort => ({
  ip,
  port: 80,
  protocol: 'TCP',
  ...difference,
});

describe('firstPortConflict', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['0.0.0.0', '10.0.0.1', true],
    ['', '10.0.0.1', true],
    ['::', '10.0.0.1', true],
    ['0:0:0:0:0:0:0:0', 'fd00::1', true],
    ['0.0.0.0', '::', true],
    ['::', '::', true],
    ['fd00::1', 'fd00::2', false],
    ['fd00::1', 'FD00:0:0:0:0:0:0:1', true],
    ['fd00::1', 'fd00:0000::0001', true],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::ffff:a00:1', '10.0.0.1', true],
    ['::ffff:10.0.0.2', '10.0.0.1', false],
    ['::ffff:0.0.0.0', '10.0.0.1', true],
    ['10.0.0.1', 'fd00::1', false],
  ])('%j against %j: %s', (wanted, taken, expected) => {
    expect(firstPortConflict([port(wanted)], [port(taken)]) !== undefined).toBe(expected);
    expect(firstPortConflict([port(taken)], [port(wanted)]) !== undefined).toBe(expected);
  });

  it('sees no conflict between protocols or ports', () => {
    const taken = [port('0.0.0.0')];

    expect(firstPortConflict([port('0.0.0.0', { protocol: 'UDP' })], taken)).toBeUndefined();
    expect(firstPortConflict([port('0.0.0.0', { port: 81 })], taken)).toBeUndefined();
  });

  it('names the first wanted port that is taken', () => {
    const wanted = [port('1.1.1.1', { port: 81 }), port('1.1.1.1'), port('0.0.0.0')];

    expect(firstPortConflict(wanted, [port('1.1.1.1')])).toBe(wanted[1]);
  });
});

describe('describeHostPort', () => {
  it('writes protocol, address and port', () => {
    expect(describeHostPort(port('0.0.0.0'))).toBe('TCP 0.0.0.0:80');
    expect(describeHostPort(port('::1', { protocol: 'UDP' }))).toBe('UDP [::1]:80');
  });
});
