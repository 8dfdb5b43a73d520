import { embeddedLimits } from '#lib/aws/embedded-table.ts';
import { type DescribedType, factsOf, runsLinux } from '#lib/aws/instance-types.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { TableZone } from '#lib/ec2/catalog/table.ts';
import type { MarketNews, SoldTypes, SpotPrices } from '#lib/ec2/offerings/market.ts';
import {
  DecodeError,
  list,
  listOf,
  mapOf,
  optional,
  required,
  unexpected,
  type Wire,
  wire,
  withDefault,
} from '#lib/kube/decode/field.ts';
import { integer, name, text } from '#lib/kube/decode/scalar.ts';
import { fileSentence, textOfFile } from './json-file.ts';

/** Where answers of EC2 were recorded. */
export interface RecordedPaths {
  readonly instanceTypes: string;
  readonly offerings: string;
  /** Without it, the embedded table's prices count. */
  readonly prices?: string;
}

/** What recorded answers say, and the day that prices were taken, where they tell. */
export interface RecordedMarket {
  readonly news: MarketNews;
  readonly zones: readonly string[];
  readonly pricedAt: string;
}

/**
 * The market as recorded answers of DescribeInstanceTypes and DescribeInstanceTypeOfferings and a
 * list of prices tell it, or what is wrong with the files, all of it. Each file is an answer as
 * `aws ec2 … --output json` prints it or its list alone, gzipped or not.
 */
export async function readRecorded(
  paths: RecordedPaths,
): Promise<RecordedMarket | { readonly problems: readonly string[] }> {
  const types = await read(paths.instanceTypes, TYPES, describedTypes);
  const offerings = await read(paths.offerings, OFFERINGS, soldIn);
  const prices =
    paths.prices === undefined
      ? { value: { pricedAt: 'unknown' } }
      : await read(paths.prices, PRICES, recordedPrices);
  const problems = [types, offerings, prices].flatMap((each) =>
    'problem' in each ? [each.problem] : [],
  );
  if ('problem' in types || 'problem' in offerings || 'problem' in prices) return { problems };
  const zones = [...new Set([...offerings.value.values()].flatMap((each) => [...each]))].sort(
    compareText,
  );
  const limits = embeddedLimits();
  const sold: SoldTypes = {
    types: types.value.filter(runsLinux).map((type) => factsOf(type, limits)),
    zones: zones.map((zone): TableZone => ({ name: zone, id: '' })),
    soldIn: offerings.value,
  };
  const { pricedAt, ...priced } = prices.value;
  return { news: { sold, ...priced }, zones, pricedAt };
}

/** What a file is called, and where its form is written down. */
interface Form {
  readonly what: string;
  readonly form: string;
}
const TYPES: Form = {
  what: 'instance types',
  form: 'what aws ec2 describe-instance-types --output json prints',
};
const OFFERINGS: Form = {
  what: 'offerings',
  form: 'what aws ec2 describe-instance-type-offerings --location-type availability-zone prints',
};
const PRICES: Form = { what: 'prices', form: 'joinery catalog --help, --prices' };

type Read<Value> = { readonly value: Value } | { readonly problem: string };

async function read<Value>(
  path: string,
  { what, form }: Form,
  decode: (value: unknown) => Value,
): Promise<Read<Value>> {
  try {
    return { value: decode(JSON.parse(await textOfFile(path))) };
  } catch (error) {
    return { problem: `${path}: ${fileSentence(error, what, form)}` };
  }
}

/** The list of an answer, whether its envelope is around it or not. */
function itemsOf<Item>(
  answer: unknown,
  key: string,
  decode: (value: unknown) => Item,
): readonly Item[] {
  if (Array.isArray(answer)) return listOf(decode)(answer);
  const fields = wire(answer);
  if (optional(fields, 'NextToken', text)) {
    throw new DecodeError('NextToken', `only one page was recorded: record all ${key}`);
  }
  const items = required(fields, key, listOf(decode));
  if (items.length === 0) throw new DecodeError(key, 'found none, expected at least one');
  return items;
}

const describedTypes = (answer: unknown): readonly DescribedType[] => {
  const types = itemsOf(answer, 'InstanceTypes', describedType);
  const names = types.map(({ InstanceType }) => InstanceType).sort(compareText);
  const twice = names.find((each, at) => each === names[at + 1]);
  if (twice === undefined) return types;
  throw new DecodeError('InstanceTypes', `${twice} is listed twice; keep one of them`);
};

/** An item of DescribeInstanceTypes, once everything is there that capacity is counted from. */
function describedType(value: unknown): DescribedType {
  const fields = wire(value);
  const InstanceType = required(fields, 'InstanceType', name);
  required(fields, 'VCpuInfo', (cpu) => required(wire(cpu), 'DefaultVCpus', integer));
  required(fields, 'MemoryInfo', (memory) => required(wire(memory), 'SizeInMiB', integer));
  required(fields, 'ProcessorInfo', (processor) =>
    required(wire(processor), 'SupportedArchitectures', listOf(text)),
  );
  required(fields, 'NetworkInfo', checkNetwork);
  return { ...(fields as Omit<DescribedType, 'InstanceType'>), InstanceType };
}

function checkNetwork(value: unknown): void {
  const network = wire(value);
  required(network, 'Ipv4AddressesPerInterface', integer);
  required(
    network,
    'NetworkCards',
    listOf((card) => required(wire(card), 'MaximumNetworkInterfaces', integer)),
  );
}

/** Names of zones by type. */
function soldIn(answer: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const offerings = itemsOf(answer, 'InstanceTypeOfferings', (value) => {
    const fields = wire(value);
    checkZone(fields);
    return [required(fields, 'InstanceType', name), required(fields, 'Location', name)] as const;
  });
  const byType = Map.groupBy(offerings, ([type]) => type);
  return new Map([...byType].map(([type, list]) => [type, new Set(list.map(([, zone]) => zone))]));
}

function checkZone(offering: Wire): void {
  const kind = withDefault(offering, 'LocationType', 'availability-zone', text);
  if (kind === 'availability-zone') return;
  throw new DecodeError(
    'LocationType',
    `found ${kind}; record them with --location-type availability-zone`,
  );
}

type RecordedPrices = Pick<MarketNews, 'onDemand' | 'spot'> & { readonly pricedAt: string };

/** `{ onDemand: { type: usd }, spot: { type: { zone: usd } } }`, USD an hour. */
function recordedPrices(value: unknown): RecordedPrices {
  const fields = wire(value);
  if (list(fields, 'PriceList', text).length > 0) {
    throw new DecodeError('PriceList', 'is the price list as it comes; expected onDemand and spot');
  }
  const usdByType = new Map(Object.entries(required(fields, 'onDemand', mapOf(usdPerHour))));
  const spot = Object.entries(withDefault(fields, 'spot', {}, mapOf(mapOf(usdPerHour))));
  return {
    onDemand: { usdByType, byZone: new Map() },
    spot: new Map(
      spot.map(([type, byZone]) => [type, new Map(Object.entries(byZone))]),
    ) satisfies SpotPrices,
    pricedAt: withDefault(fields, 'pricedAt', 'unknown', text),
  };
}

function usdPerHour(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw unexpected(value, 'a price in USD per hour, such as 0.096');
}
