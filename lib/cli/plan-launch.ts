import { EMBEDDED_REGIONS, embeddedTable } from '#lib/aws/embedded-table.ts';
import { createFleetRequest } from '#lib/aws/fleet.ts';
import { createRequest } from '#lib/aws/launch-templates.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { NumberSettings } from '#lib/ec2/catalog/node-settings.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import { ownProblem } from '#lib/ec2/node-class/node-class-validation.ts';
import { decodeObjects, identityOf } from '#lib/kube/decode/decode.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { Launch } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { readCatalogFile } from './catalog-file.ts';
import { givenCatalog } from './file-catalog.ts';
import { filledIn, latestInstant, prioritiesOf } from './file-objects.ts';
import type { Io } from './io.ts';
import { type NumberOptions, numberSettingsOf } from './number-options.ts';
import { createOwnKinds, isOwnKind } from './own-kinds.ts';
import { readClusterFile } from './plan-launch-cluster.ts';
import { launchText } from './plan-launch-text.ts';
import { readFiles } from './read-files.ts';

/** What `joinery plan launch` was told on its command line. */
export interface PlanLaunchArguments extends NumberOptions {
  /** Files and folders with a NodeClaim and its EC2NodeClass. */
  readonly files: readonly string[];
  readonly output: 'json' | 'text';
  /** Path of a file that describes the cluster. */
  readonly cluster?: string;
  /** Path of a catalog file; without it, the embedded table. */
  readonly catalog?: string;
}

/** Exit statuses. Source: the plan format. */
const PLANNED = 0;
const BAD_INPUT = 1;
const WRONG_USAGE = 2;

/**
 * Prints what would be sent to EC2 for a NodeClaim: the requests that make its launch templates,
 * user data decoded beside the encoded one, and the one that launches. Images, subnets, groups and
 * profile are those of the EC2NodeClass's status. Returns the exit status: 0 printed; 1 the input
 * is bad, or there is nothing to launch, which is told on `io.err`; 2 wrong usage.
 */
export async function planLaunchCommand(
  args: PlanLaunchArguments,
  io: Pick<Io, 'out' | 'err'>,
): Promise<number> {
  const numbers = numberSettingsOf(args);
  if (!args.cluster || args.files.length === 0 || 'misuse' in numbers) {
    io.err(
      'misuse' in numbers
        ? numbers.misuse
        : 'name what is launched: joinery plan launch -f nodeclaim.yaml -f nodeclass.yaml --cluster cluster.json',
    );
    return WRONG_USAGE;
  }
  const planned = await launchFor(args, args.cluster, numbers);
  if ('problems' in planned) {
    for (const problem of planned.problems) io.err(problem);
    return BAD_INPUT;
  }
  const { launch, warnings } = planned;
  for (const warning of warnings) io.err(`warning: ${warning}`);
  print(launch, args.output, io);
  return PLANNED;
}

function print(launch: Launch, output: PlanLaunchArguments['output'], io: Pick<Io, 'out'>): void {
  const lines =
    output === 'text' ? launchText(launch) : [JSON.stringify(requestsOf(launch), null, 2)];
  for (const line of lines) io.out(line);
}

/** The requests as the SDK takes them, with what a person can read beside what is encoded. */
function requestsOf(launch: Launch): unknown {
  return {
    apiVersion: 'joinery.dev/v1',
    kind: 'LaunchPlan',
    launchTemplates: launch.launchTemplates.map((template) => {
      const request = createRequest(template);
      const { UserData = '', ...data } = request.LaunchTemplateData ?? {};
      const userData = Buffer.from(UserData, 'base64').toString();
      return { ...request, LaunchTemplateData: { ...data, UserData, userData } };
    }),
    createFleet: createFleetRequest(launch),
  };
}

type Problems = { readonly problems: readonly string[] };
type Planned = { readonly launch: Launch; readonly warnings: readonly string[] };

async function launchFor(
  { files, catalog }: PlanLaunchArguments,
  clusterPath: string,
  numbers: NumberSettings,
): Promise<Planned | Problems> {
  const cluster = await readClusterFile(clusterPath);
  if ('problem' in cluster) return { problems: [cluster.problem] };
  const objects = await readLaunchObjects(files);
  if ('problems' in objects) return objects;
  const { claims, nodeClass } = objects;
  const settings = { ...cluster, ...numbers };
  const sold = await catalogFor(nodeClass, settings, catalog);
  if ('problems' in sold) return sold;
  const launch = launchOf(claims, undefined, nodeClass, { catalog: sold, settings, attempt: 0 });
  if (isRejection(launch)) return { problems: [`nothing is launched: ${launch.because}`] };
  const instanceTypes = sold.byNodeClass.get(nodeClass.meta.name) ?? [];
  return { launch, warnings: unreadiness(nodeClass, { settings, instanceTypes }) };
}

/** What would keep the NodeClass from being ready in a cluster, and so from being launched with. */
function unreadiness(
  nodeClass: NodeClass,
  context: Parameters<typeof ownProblem>[1],
): readonly string[] {
  const problem = ownProblem(nodeClass, context);
  const { meta, status } = nodeClass;
  return [
    ...(problem === undefined
      ? []
      : [`EC2NodeClass ${meta.name} would not be ready: ${problem.reason}: ${problem.message}`]),
    ...(status.instanceProfile === undefined
      ? [
          `EC2NodeClass ${meta.name} has no instanceProfile in its status: these instances would have no role and could not join`,
        ]
      : []),
  ];
}

async function catalogFor(
  nodeClass: NodeClass,
  settings: ClusterSettings,
  path: string | undefined,
): Promise<Catalog | Problems> {
  const now = nodeClass.meta.createdAt;
  if (path !== undefined) {
    const offered = await readCatalogFile(path);
    if ('problem' in offered) return { problems: [offered.problem] };
    return givenCatalog(offered).catalogFor([nodeClass], [], now);
  }
  const table = embeddedTable(settings.region);
  if (table === undefined) {
    const known = EMBEDDED_REGIONS.join(', ');
    const problem = `no prices of ${settings.region} are embedded (${known} are): give --catalog`;
    return { problems: [problem] };
  }
  return catalogOf({ table, nodeClasses: [nodeClass], soldOut: [], settings, now });
}

interface LaunchObjects {
  readonly claims: readonly NodeClaim[];
  readonly nodeClass: NodeClass;
}

/** The NodeClaims of files and the EC2NodeClass that they name, as an API server would hold them. */
async function readLaunchObjects(files: readonly string[]): Promise<LaunchObjects | Problems> {
  const { documents, problems } = await readFiles(files);
  if (problems.length > 0) {
    return { problems: problems.map(({ file, problem }) => `${file}: ${problem}`) };
  }
  const admit = createOwnKinds();
  const refusals: string[] = [];
  const wires = documents.flatMap(({ file, document, object }) => {
    if (!isOwnKind(object)) return [];
    const own = admit(object);
    if ('object' in own) return [own.object];
    refusals.push(...own.refusals.map((each) => `${file}, document ${document}: ${each}`));
    return [];
  });
  if (refusals.length > 0) return { problems: refusals };
  const now = latestInstant(wires);
  const { objects, leftOut } = decodeObjects(
    wires.map((object) => filledIn(object, now, prioritiesOf([]))),
  );
  const unread = leftOut.map(({ object, field, problem }) => {
    return `${object.kind} ${object.name}: ${field}: ${problem}`;
  });
  if (unread.length > 0) return { problems: unread };
  return chosenFrom(
    objects.nodeClaims,
    objects.nodeClasses,
    wires.map((one) => identityOf(one).kind),
  );
}

function chosenFrom(
  claims: readonly NodeClaim[],
  nodeClasses: readonly NodeClass[],
  kinds: readonly string[],
): LaunchObjects | Problems {
  const [first, ...others] = claims;
  if (first === undefined) {
    const found = kinds.length === 0 ? 'no object of ours' : kinds.join(', ');
    return { problems: [`expected a NodeClaim in the files, found ${found}`] };
  }
  const { name } = first.spec.nodeClassRef;
  const asked = JSON.stringify({ ...first.spec, requests: {} });
  const isOdd = ({ spec }: NodeClaim) => JSON.stringify({ ...spec, requests: {} }) !== asked;
  const odd = others.find(isOdd);
  if (odd !== undefined) {
    const names = `NodeClaims ${first.meta.name} and ${odd.meta.name}`;
    return { problems: [`${names} do not ask for the same, so no one call launches both`] };
  }
  const nodeClass = nodeClasses.find(({ meta }) => meta.name === name);
  return nodeClass === undefined
    ? { problems: [`NodeClaim ${first.meta.name} names EC2NodeClass ${name}, which is not there`] }
    : { claims, nodeClass };
}
