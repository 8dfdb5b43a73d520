import type {
  Device,
  Ec2Table,
  InstanceTypeFacts,
  NeuronDevice,
  RegionalType,
  Sale,
  TableZone,
} from './table.ts';

const FACTS_FORMAT = 'joinery.dev/ec2-instance-types/v1';
const REGION_FORMAT = 'joinery.dev/ec2-region/v1';
const COLUMNS = [
  'name',
  'vcpus',
  'cores',
  'threadsPerCore',
  'memoryMib',
  'architectures',
  'manufacturer',
  'clockGhz',
  'cardInterfaces',
  'defaultCard',
  'ipv4PerInterface',
  'efaInterfaces',
  'branchInterfaces',
  'networkMbps',
  'ebsMbps',
  'encryptsInTransit',
  'enaSupported',
  'gpus',
  'inferenceAccelerators',
  'neuronDevices',
  'localStorageGb',
  'localStorageIsNvme',
  'hypervisor',
  'bareMetal',
  'burstable',
  'usageClasses',
  'enclavesSupported',
  'processorFeatures',
  'placementStrategies',
] as const;
type Column = (typeof COLUMNS)[number];
/** Columns that a file may lack: its source did not tell them. */
const OPTIONAL: ReadonlySet<Column> = new Set(['processorFeatures', 'placementStrategies']);

/**
 * The two files that hold a table, put together: the facts of all types, and where and for how
 * much one region sells them. Types without facts or without a sale are left out.
 *
 * Throws where the files are not what `encodeFacts` and `encodeRegion` write: they are part of
 * the program, so a damaged one is a bug.
 */
export function decodeTable(factsFile: unknown, regionFile: unknown): Ec2Table {
  const facts = decodeFacts(factsFile);
  const file = record(regionFile, 'region file');
  expectFormat(file, REGION_FORMAT);
  const zones = list(file.zones, 'zones').map(decodeZone);
  const borrowed = file.pricesBorrowedFrom;
  const names = zones.map(({ name }) => name);
  return {
    region: text(file.region, 'region'),
    pricedAt: text(file.pricedAt, 'pricedAt'),
    spotPricesAreEstimates: file.spotPricesAreEstimates === true,
    ...(borrowed === undefined ? {} : { pricesBorrowedFrom: text(borrowed, 'pricesBorrowedFrom') }),
    zones,
    types: list(file.rows, 'rows').flatMap((row) => decodeRegional(row, facts, names)),
  };
}

/** The facts file, one type a row, cells in the order of its own `columns`. */
export const encodeFacts = (describedAt: string, types: readonly InstanceTypeFacts[]): unknown => ({
  format: FACTS_FORMAT,
  describedAt,
  columns: COLUMNS,
  rows: types.map((type) => COLUMNS.map((column) => encodeCell(type[column]))),
});

/**
 * A region's file, one type a row: name, on-demand USD an hour, per zone a spot price, 0 (sold, but
 * not as spot) or null (not sold), and on-demand prices by zone where zones have their own.
 */
export const encodeRegion = (table: Ec2Table): unknown => ({
  format: REGION_FORMAT,
  region: table.region,
  pricedAt: table.pricedAt,
  spotPricesAreEstimates: table.spotPricesAreEstimates,
  ...(table.pricesBorrowedFrom === undefined
    ? {}
    : { pricesBorrowedFrom: table.pricesBorrowedFrom }),
  zones: table.zones.map(({ name, id, priceRegion }) => [
    name,
    id,
    ...(priceRegion === undefined ? [] : [priceRegion]),
  ]),
  rows: table.types.map(({ facts, onDemandUsdPerHour, sales }) => [
    facts.name,
    onDemandUsdPerHour,
    table.zones.map(({ name }) => {
      const sale = sales.find(({ zone }) => zone === name);
      return sale === undefined ? null : (sale.spotUsdPerHour ?? 0);
    }),
    ...zonePrices(sales),
  ]),
});

/** On-demand prices of zones that have their own, as one more cell; none where there are none. */
function zonePrices(sales: readonly Sale[]): readonly Readonly<Record<string, number>>[] {
  const own = sales.flatMap(({ zone, onDemandUsdPerHour }) =>
    onDemandUsdPerHour === undefined ? [] : [[zone, onDemandUsdPerHour] as const],
  );
  return own.length === 0 ? [] : [Object.fromEntries(own)];
}

function encodeCell(value: InstanceTypeFacts[Column]): unknown {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'object') return value;
  return value.map((item) => (typeof item === 'object' ? Object.values(item) : item));
}

/** The types of a facts file, by name, sold anywhere or not. Throws as `decodeTable` does. */
export function decodeFacts(json: unknown): ReadonlyMap<string, InstanceTypeFacts> {
  const file = record(json, 'facts file');
  expectFormat(file, FACTS_FORMAT);
  const columns = list(file.columns, 'columns').map((column) => text(column, 'column'));
  const missing = COLUMNS.filter((one) => !OPTIONAL.has(one) && !columns.includes(one));
  if (missing.length > 0) {
    throw new Error(`EC2 table: expected the columns ${COLUMNS.join()}, found ${columns.join()}`);
  }
  const at = new Map(columns.map((column, index) => [column, index]));
  const types = list(file.rows, 'rows').map((row) => decodeType(list(row, 'row'), at));
  return new Map(types.map((type) => [type.name, type]));
}

function decodeType(row: readonly unknown[], at: ReadonlyMap<string, number>): InstanceTypeFacts {
  const cell = (column: Column): unknown => row[at.get(column) ?? -1];
  const word = (column: Column): string => text(cell(column), column);
  const amount = (column: Column): number => number(cell(column), column);
  const flag = (column: Column): boolean => amount(column) === 1;
  const items = (column: Column): readonly unknown[] => list(cell(column), column);
  return {
    name: word('name'),
    vcpus: amount('vcpus'),
    cores: amount('cores'),
    threadsPerCore: amount('threadsPerCore'),
    memoryMib: amount('memoryMib'),
    architectures: items('architectures').map((item) => text(item, 'architecture')),
    manufacturer: word('manufacturer'),
    clockGhz: amount('clockGhz'),
    cardInterfaces: items('cardInterfaces').map((item) => number(item, 'interfaces')),
    defaultCard: amount('defaultCard'),
    ipv4PerInterface: amount('ipv4PerInterface'),
    efaInterfaces: amount('efaInterfaces'),
    branchInterfaces: amount('branchInterfaces'),
    networkMbps: amount('networkMbps'),
    ebsMbps: amount('ebsMbps'),
    encryptsInTransit: flag('encryptsInTransit'),
    enaSupported: flag('enaSupported'),
    gpus: items('gpus').map(decodeDevice),
    inferenceAccelerators: items('inferenceAccelerators').map(decodeDevice),
    neuronDevices: items('neuronDevices').map(decodeNeuron),
    localStorageGb: amount('localStorageGb'),
    localStorageIsNvme: flag('localStorageIsNvme'),
    hypervisor: word('hypervisor'),
    bareMetal: flag('bareMetal'),
    burstable: flag('burstable'),
    usageClasses: items('usageClasses').map((item) => text(item, 'usage class')),
    enclavesSupported: flag('enclavesSupported'),
    ...optionalWords('processorFeatures', cell('processorFeatures')),
    ...optionalWords('placementStrategies', cell('placementStrategies')),
  };
}

/** A list of words under its column's name; nothing where the file does not tell it. */
const optionalWords = (
  column: 'processorFeatures' | 'placementStrategies',
  cell: unknown,
): Partial<Record<typeof column, readonly string[]>> =>
  cell === undefined || cell === null
    ? {}
    : { [column]: list(cell, column).map((word) => text(word, column)) };

function decodeDevice(json: unknown): Device {
  const [name, manufacturer, count, memoryMib] = list(json, 'device');
  return {
    name: text(name, 'device name'),
    manufacturer: text(manufacturer, 'device manufacturer'),
    count: number(count, 'device count'),
    memoryMib: number(memoryMib, 'device memory'),
  };
}

function decodeNeuron(json: unknown): NeuronDevice {
  const [name, count, coresPerDevice] = list(json, 'neuron device');
  return {
    name: text(name, 'neuron device name'),
    count: number(count, 'neuron device count'),
    coresPerDevice: number(coresPerDevice, 'neuron cores'),
  };
}

function decodeZone(json: unknown): TableZone {
  const [name, id, priceRegion] = list(json, 'zone');
  return {
    name: text(name, 'zone name'),
    id: text(id, 'zone id'),
    ...(priceRegion !== undefined && { priceRegion: text(priceRegion, 'price region') }),
  };
}

function decodeRegional(
  json: unknown,
  factsByName: ReadonlyMap<string, InstanceTypeFacts>,
  zones: readonly string[],
): readonly RegionalType[] {
  const [name, price, spot, own] = list(json, 'row');
  const zonePrice = own === undefined ? {} : record(own, 'prices by zone');
  const facts = factsByName.get(text(name, 'type name'));
  const sales = list(spot, 'spot prices').flatMap((cell, index): readonly Sale[] => {
    const zone = zones[index];
    if (zone === undefined || cell === null) return [];
    const spotPrice = number(cell, 'spot price');
    const onDemand = zonePrice[zone];
    return [
      {
        zone,
        ...(spotPrice > 0 && { spotUsdPerHour: spotPrice }),
        ...(onDemand !== undefined && { onDemandUsdPerHour: number(onDemand, 'zone price') }),
      },
    ];
  });
  if (facts === undefined || sales.length === 0) return [];
  return [{ facts, onDemandUsdPerHour: number(price, 'on-demand price'), sales }];
}

function expectFormat(file: Readonly<Record<string, unknown>>, format: string): void {
  if (file.format === format) return;
  throw new Error(`EC2 table: expected format ${format}, found ${JSON.stringify(file.format)}`);
}

function record(json: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null) throw unexpected(what, 'an object', json);
  return { ...json };
}

function list(json: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(json)) throw unexpected(what, 'a list', json);
  return json;
}

function text(json: unknown, what: string): string {
  if (typeof json !== 'string') throw unexpected(what, 'a text', json);
  return json;
}

function number(json: unknown, what: string): number {
  if (typeof json !== 'number') throw unexpected(what, 'a number', json);
  return json;
}

const unexpected = (what: string, expected: string, found: unknown): Error =>
  new Error(`EC2 table: expected ${expected} as ${what}, found ${JSON.stringify(found)}`);
