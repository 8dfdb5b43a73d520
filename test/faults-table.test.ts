import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The lines of the table of faults, without its head. */
const lines = readFileSync('test/README.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2);
const cellsOf = (line: string): readonly string[] => line.split(/(?<!\\)\|/).slice(1, -1);
const filesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9-]+)+)`/g)].map(([, name = '']) => `test/${name}`);
const ENDINGS = ['.test.ts', '.property.test.ts', '.e2e.ts'];

describe('the table of faults', () => {
  it('has a test beside each line, and names none that is not there', () => {
    const untested = lines.filter((line) => cellsOf(line).slice(1).flatMap(filesIn).length === 0);
    const missing = lines
      .flatMap(filesIn)
      .filter((file) => !ENDINGS.some((ending) => existsSync(`${file}${ending}`)));

    expect(lines.length).toBeGreaterThan(15);
    expect(untested).toEqual([]);
    expect(missing).toEqual([]);
  });
});
