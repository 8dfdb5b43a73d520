import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EMBEDDED_REGIONS, embeddedTable } from '#lib/aws/embedded-table.ts';
import { decodeTable, encodeFacts, encodeRegion } from '#lib/ec2/catalog/table-codec.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(`lib/ec2/catalog/data/${name}.json`, 'utf8'));
const facts = read('instance-types');

describe('the embedded table', () => {
  it.each(EMBEDDED_REGIONS)(
    'of %s holds a thousand types and more, sorted, each sold somewhere',
    (region) => {
      const table = embeddedTable(region);
      const names = table?.types.map((type) => type.facts.name) ?? [];

      expect(names.length).toBeGreaterThan(1_000);
      expect(names).toEqual([...names].sort());
      expect(table?.types.filter(({ sales }) => sales.length === 0)).toEqual([]);
      expect(table?.pricedAt).toMatch(/^\d{4}-\d\d-\d\d$/);
    },
  );

  it('says of a region without prices of its own whose it took', () => {
    expect(embeddedTable('us-west-2')?.pricesBorrowedFrom).toBe('us-east-1');
    expect(embeddedTable('us-east-1')?.pricesBorrowedFrom).toBeUndefined();
  });

  it('does not hold every region', () => {
    expect(embeddedTable('eu-central-1')).toBeUndefined();
  });
});

describe('decodeTable', () => {
  it('reads what encodeFacts and encodeRegion write', () => {
    const table = decodeTable(facts, read('us-east-1'));
    const types = table.types.map((type) => type.facts);

    expect(decodeTable(encodeFacts('2026-01-01', types), encodeRegion(table))).toEqual(table);
  });

  it.each([
    ['another format', { ...facts, format: 'v2' }, 'format'],
    ['other columns', { ...facts, columns: ['name'] }, 'columns'],
    ['a text for a number', { ...facts, rows: [['m5.large', 'two']] }, 'vcpus'],
    ['no object', null, 'object'],
  ])('refuses %s, and says where', (_what, file, where) => {
    expect(() => decodeTable(file, read('us-east-1'))).toThrow(where);
  });
});
