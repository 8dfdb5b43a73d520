import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readQueueSettings, readSettings } from '#lib/runtime/settings.ts';
import { settingsMarkdown } from '#lib/runtime/settings-markdown.ts';
import { SETTINGS, type Setting } from '#lib/runtime/settings-table.ts';

const [BEGIN, END] = ['<!-- settings -->', '<!-- /settings -->'];
const readme = readFileSync('README.md', 'utf8');
const settings: readonly Setting[] = Object.values(SETTINGS);

function complaintOf(act: () => unknown): string {
  try {
    act();
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('the settings', () => {
  it.runIf(readme.includes(BEGIN))('stand in the README as they stand in the code', () => {
    const told = readme.slice(readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END)).trim();

    expect(told).toBe(settingsMarkdown().trim());
  });

  it('have names of their own, and defaults that are good values', () => {
    expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
    for (const { name, fallback, pattern, problem } of settings) {
      if (fallback === undefined) continue;
      expect([name, pattern.test(fallback), problem?.(fallback)]).toEqual([name, true, undefined]);
    }
  });

  it('are all told at once where they are bad: which, what was found, what is expected', () => {
    const bad = Object.fromEntries(settings.map(({ name }) => [name, '\n?']));
    const told = [readSettings, readQueueSettings]
      .map((read) => complaintOf(() => read(bad)))
      .join();

    const unbounded = settings.filter(({ pattern }) => pattern.test('\n?'));
    for (const { name, expected } of settings) {
      if (unbounded.some((each) => each.name === name)) continue;
      expect(told).toContain(`${name} is "\\n?": expected ${expected}`);
    }
  });
});
