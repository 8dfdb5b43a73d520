import { describe, expect, it } from 'vitest';
import { printResult, type StoryResult } from '#lib/cli/stories/outcome.ts';

const NODE = {
  name: 'ip-10-0-0-4',
  nodePool: 'default',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  capacityType: 'spot',
  usdPerHour: 0.04,
  pods: 1,
};
const result = (difference: Partial<StoryResult>): StoryResult => ({
  story: 1,
  name: 'inflate',
  ok: true,
  checks: [],
  nodes: [NODE],
  pods: 1,
  usdPerHour: 0.04,
  allRunningAfterSeconds: 61.84,
  virtualSeconds: 191,
  pricesAre: 'made up',
  calls: { CreateFleet: 1, 'list pods': 12 },
  ...difference,
});

function printed(difference: Partial<StoryResult>): readonly string[] {
  const lines: string[] = [];
  printResult(result(difference), { out: (line) => lines.push(line) });
  return lines;
}

describe('the end of a story', () => {
  it('says what stood, what it cost, how long it took, and what was called', () => {
    expect(printed({})).toEqual([
      '',
      'At its peak',
      '  node         pool     type      zone        bought  pods  $/h',
      '  ip-10-0-0-4  default  m5.large  us-east-1a  spot    1     0.0400',
      '  1 node, 1 pod, $0.0400/h (made up)',
      '  all pods running after 61.8 s; 191 s played',
      '  1 call to AWS: CreateFleet 1',
      '  12 calls to Kubernetes: list pods 12',
      '',
    ]);
  });

  it('lists a dozen nodes and counts the others', () => {
    const lines = printed({ nodes: Array.from({ length: 15 }, () => NODE) });
    expect(lines.filter((line) => line.includes('ip-10-0-0-4'))).toHaveLength(12);
    expect(lines).toContain('  … and 3 more');
  });

  it('says so when no node stood', () => {
    expect(printed({ nodes: [], pods: 0 })[1]).toBe('No node stands');
  });

  it('marks checks that failed', () => {
    const checks = [
      { name: 'all run', ok: true, found: '5 run' },
      { name: 'nothing is left behind', ok: false, found: '1 instance' },
    ];
    expect(printed({ checks }).slice(-2)).toEqual([
      'ok     all run (5 run)',
      'FAILED nothing is left behind (1 instance)',
    ]);
  });

  it('names every call to AWS, and the most frequent to Kubernetes', () => {
    const kinds = [
      'pods',
      'nodes',
      'leases',
      'events',
      'jobs',
      'services',
      'nodepools',
      'claims',
      'x',
    ];
    const aws = Array.from({ length: 10 }, (_, at) => [`Describe${at}`, 1] as const);
    const calls = Object.fromEntries([
      ...aws,
      ...kinds.map((kind) => [`list ${kind}`, 2] as const),
    ]);
    const lines = printed({ calls });
    expect(lines.find((line) => line.includes('AWS'))).toContain('Describe9 1');
    expect(lines.find((line) => line.includes('Kubernetes'))).toMatch(
      /^ {2}18 calls .*1 more kind/,
    );
  });
});
