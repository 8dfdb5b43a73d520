import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Recorded } from '#test/bench/cost/billing.ts';
import { playHour } from '#test/bench/cost/hours.ts';
import { totalOf } from '#test/bench/cost/month.ts';
import { costMarkdown, idleMonth, STANDING } from '#test/bench/cost/report.ts';

const recorded: Recorded = JSON.parse(readFileSync('test/bench/cost/recorded.json', 'utf8'));

describe('what Joinery costs', () => {
  it('is told by the report that is committed', () => {
    expect(readFileSync('infra/COST.md', 'utf8')).toBe(costMarkdown(recorded));
  });

  it('is less than 10 USD a month where nothing happens, without any free tier', () => {
    expect(totalOf(idleMonth(recorded), 'usd')).toBeLessThan(10);
  });

  it('counts the invocations of a quiet hour as they are', async () => {
    const { invocations } = await playHour('idle');

    expect(invocations).toEqual(recorded.hours.idle.invocations);
  });

  it('counts the alarms and dashboards that the template makes', () => {
    const { Resources } = parse(readFileSync('infra/template.yaml', 'utf8'), { version: '1.1' });
    const types = Object.values(Resources).map((each) => Object(each).Type);
    const made = (type: string) => types.filter((each) => each === type).length;

    expect(made('AWS::CloudWatch::Alarm')).toBe(STANDING.alarms);
    expect(made('AWS::CloudWatch::Dashboard')).toBe(STANDING.dashboards);
  });
});
