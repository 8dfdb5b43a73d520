import { assumedSubnets, catalogOf } from '#lib/ec2/catalog/catalog.ts';
import { type NumberSettings, nodeSettingsOf } from '#lib/ec2/catalog/node-settings.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import { amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import { hasExpressions, kubeletNumbers } from '#lib/ec2/kubelet/kubelet-numbers.ts';
import { droppedSettings } from '#lib/ec2/user-data/bottlerocket-settings.ts';
import { userDataProblem } from '#lib/ec2/user-data/user-data.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { catalogLines } from './catalog-encode.ts';
import { type LiveAws, type MarketSource, readMarket, regionOfZone } from './catalog-market.ts';
import { readNodeClass } from './catalog-node-class.ts';
import { catalogText } from './catalog-text.ts';
import type { OfferedTypes } from './file-catalog.ts';
import type { Io } from './io.ts';
import { type NumberOptions, numberSettingsOf } from './number-options.ts';

/** What `joinery catalog` was told on its command line. */
export interface CatalogArguments extends NumberOptions {
  /** Files and folders with an EC2NodeClass; none: one that is AL2023 as it comes. */
  readonly files: readonly string[];
  readonly output: 'json' | 'text';
  /** Its name, where the files hold several. */
  readonly nodeClass?: string;
  /** Paths of recorded answers. */
  readonly instanceTypes?: string;
  readonly offerings?: string;
  readonly prices?: string;
  /** Ask AWS. */
  readonly live?: boolean;
  readonly region?: string;
}

/** Exit statuses. Source: the plan format. */
const PRINTED = 0;
const BAD_INPUT = 1;
const WRONG_USAGE = 2;

/** Types whose expressions come to nothing are named up to here. */
const MOST_WARNINGS = 3;

/**
 * Prints the instance types that a NodeClass would offer, in the plan format's catalog form or as
 * a table, and returns the exit status: 0 printed; 1 the input is bad, which is told on `io.err`
 * while nothing is printed on `io.out`; 2 wrong usage.
 */
export async function catalogCommand(
  args: CatalogArguments,
  io: Pick<Io, 'out' | 'err'>,
  live: LiveAws = AWS,
): Promise<number> {
  const told = usageOf(args);
  if ('misuse' in told) {
    io.err(told.misuse);
    return WRONG_USAGE;
  }
  const read = await readNodeClass(args.files, args.nodeClass);
  if ('problems' in read) return refuse(read.problems, io);
  const region = args.region ?? regionOf(read.nodeClass);
  const market = await readMarket(told.source, region, live);
  if ('problems' in market) return refuse(market.problems, io);
  const nodeClass = inAllZones(read.nodeClass, market.table);
  const offered = offeredBy(nodeClass, market.table, told.settings);
  const warnings = [...market.warnings, ...nodeClassWarnings(nodeClass, market.table, told)];
  for (const warning of warnings) io.err(`warning: ${warning}`);
  const lines =
    args.output === 'json' ? catalogLines(offered) : catalogText(offered, nodeClass.meta.name);
  for (const line of lines) io.out(line);
  return PRINTED;
}

function refuse(problems: readonly string[], io: Pick<Io, 'err'>): number {
  for (const problem of problems) io.err(problem);
  return BAD_INPUT;
}

/** Loaded only where AWS is asked. */
const AWS: LiveAws = {
  connect: async (region) => {
    const [{ typedCall }, { sdkCall }] = await Promise.all([
      import('#lib/aws/calls/call.ts'),
      import('#lib/aws/calls/sdk-call.ts'),
    ]);
    return typedCall(sdkCall({ region }));
  },
  now: () => Date.now(),
};

interface Usage {
  readonly source: MarketSource;
  readonly settings: NumberSettings;
}

function usageOf(args: CatalogArguments): Usage | { readonly misuse: string } {
  const source = sourceOf(args);
  if ('misuse' in source) return source;
  const settings = numberSettingsOf(args);
  return 'misuse' in settings ? settings : { source, settings };
}

function sourceOf(args: CatalogArguments): MarketSource | { readonly misuse: string } {
  const { instanceTypes, offerings, prices, live } = args;
  const isRecorded = [instanceTypes, offerings, prices].some((path) => path !== undefined);
  if (isRecorded && live) return { misuse: 'name recorded answers or give --live, not both' };
  if (!isRecorded) return { kind: live ? 'live' : 'embedded' };
  if (instanceTypes === undefined || offerings === undefined) {
    const missing = instanceTypes === undefined ? '--instance-types' : '--offerings';
    return { misuse: `${missing} is missing: name --instance-types and --offerings together` };
  }
  return {
    kind: 'recorded',
    paths: { instanceTypes, offerings, ...(prices !== undefined && { prices }) },
  };
}

const regionOf = ({ status }: NodeClass): string | undefined =>
  status.subnets.map(({ zone }) => regionOfZone(zone)).find((region) => region !== undefined);

/** A NodeClass that was not resolved yet is taken to have a subnet in every zone. */
const inAllZones = (nodeClass: NodeClass, table: Ec2Table): NodeClass =>
  nodeClass.status.subnets.length > 0
    ? nodeClass
    : { ...nodeClass, status: { ...nodeClass.status, subnets: assumedSubnets(table) } };

/** What can be bought at all; a type that no zone of the NodeClass sells is no use to anyone. */
function offeredBy(nodeClass: NodeClass, table: Ec2Table, settings: NumberSettings): OfferedTypes {
  const { region, pricedAt, spotPricesAreEstimates, byNodeClass } = catalogOf({
    table,
    nodeClasses: [nodeClass],
    soldOut: [],
    settings,
    now: nodeClass.meta.createdAt,
  });
  const types = byNodeClass.get(nodeClass.meta.name) ?? [];
  const instanceTypes = types.filter(({ offerings }) => offerings.length > 0);
  return { region, pricedAt, spotPricesAreEstimates, instanceTypes };
}

function userDataWarnings(nodeClass: NodeClass): readonly string[] {
  const problem = userDataProblem(nodeClass);
  if (problem !== undefined) return [problem];
  if (amiFamilyOf(nodeClass).name !== 'Bottlerocket') return [];
  const dropped = droppedSettings(nodeClass.spec.userData ?? '');
  return dropped.length === 0 ? [] : [`sets what is not passed on: ${dropped.join(', ')}`];
}

function nodeClassWarnings(
  nodeClass: NodeClass,
  table: Ec2Table,
  { settings }: Usage,
): readonly string[] {
  const about = `EC2NodeClass ${nodeClass.meta.name}:`;
  const told = userDataWarnings(nodeClass).map((warning) => `${about} userData ${warning}`);
  if (!hasExpressions(nodeClass.spec.kubelet ?? {})) return told;
  if (settings.kubeletExpressions !== true) {
    return [...told, `${about} kubelet expressions count with --feature-gates NodeClassCEL=true`];
  }
  const nodeSettings = nodeSettingsOf(nodeClass, settings);
  const bad = table.types.flatMap(({ facts }) => kubeletNumbers(facts, nodeSettings).problems);
  const more =
    bad.length > MOST_WARNINGS ? [`${about} and ${bad.length - MOST_WARNINGS} more`] : [];
  return [...told, ...bad.slice(0, MOST_WARNINGS).map((each) => `${about} ${each}`), ...more];
}
