import { describe, expect, it } from 'vitest';
import { EMBEDDED_REGIONS, embeddedLimits, embeddedTable } from '#lib/aws/embedded-table.ts';
import { type DescribedType, factsOf, runsLinux } from '#lib/aws/instance-types.ts';
import { describedType } from '#lib/cli/stories/described-type.ts';

/** A type as EC2 would describe it, over the wire. */
const overTheWire = (described: unknown): DescribedType => JSON.parse(JSON.stringify(described));

describe('factsOf', () => {
  it('reads out of every description what the embedded table knows of the type', () => {
    const types = EMBEDDED_REGIONS.flatMap((region) => embeddedTable(region)?.types ?? []);
    const limits = embeddedLimits();

    for (const { facts } of types) {
      const described = overTheWire(describedType(facts));
      expect(runsLinux(described)).toBe(true);
      expect(factsOf(described, limits)).toEqual(facts);
    }
  });

  it('knows the limits of types that no embedded region sells', () => {
    const sold = EMBEDDED_REGIONS.flatMap((region) => embeddedTable(region)?.types ?? []);

    expect(sold.map(({ facts }) => facts.name)).not.toContain('dl2q.24xlarge');
    expect(embeddedLimits()['dl2q.24xlarge']).toEqual({
      networkMbps: 100_000,
      branchInterfaces: 107,
    });
  });

  it('takes EC2’s baseline bandwidth for a type that nobody published a figure of', () => {
    const facts = embeddedTable('us-east-1')?.types.find(
      ({ facts: { name } }) => name === 'm5.large',
    );
    const described = overTheWire(facts && describedType(facts.facts));
    const named = { ...described, InstanceType: 'm99.large' };
    const cards = [
      { NetworkCardIndex: 0, MaximumNetworkInterfaces: 3, BaselineBandwidthInGbps: 1.25 },
    ];
    const network = { ...named, NetworkInfo: { ...named.NetworkInfo, NetworkCards: cards } };

    expect(factsOf(network, embeddedLimits())).toMatchObject({
      networkMbps: 1_250,
      branchInterfaces: 0,
    });
    expect(factsOf(described, embeddedLimits())).toMatchObject({
      networkMbps: 750,
      branchInterfaces: 9,
    });
  });
});
