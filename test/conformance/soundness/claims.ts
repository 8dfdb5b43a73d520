/** What may be wrong with a new NodeClaim: every node that it could become is built and filled. */
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Placing } from '#lib/decide/place.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import type { NewNodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import {
  allows,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  isKeptAway,
  keyOf,
  type Labels,
  labelsOfType,
  meets,
  mightSelect,
  NODECLASS,
  NODEPOOL,
  nameOf,
  portsClash,
  RESERVATION,
  selectsNode,
  shortOf,
  sum,
  toleratesAll,
  ZONE,
} from './rules.ts';

/** Whether a NodePool may give nodes to pods at all. */
export const givesNodes = ({ meta, replicas, template, status }: NodePool): boolean =>
  meta.deletedAt === undefined &&
  replicas === undefined &&
  template.nodeClassRef.group === 'karpenter.k8s.aws' &&
  template.nodeClassRef.kind === 'EC2NodeClass' &&
  status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');

/** The instance types of a pool's NodeClass. */
export const typesOf = (snapshot: Snapshot, pool: NodePool): readonly InstanceType[] =>
  snapshot.catalog.byNodeClass.get(pool.template.nodeClassRef.name) ?? [];

/** Whether an offering can be bought now. */
export const isForSale = (offering: Offering): boolean =>
  offering.available &&
  (offering.capacityType !== 'reserved' ||
    (offering.reservationId !== undefined && (offering.reservationCapacity ?? 0) > 0));

/** What a node gets because it is bought this way. */
export function labelsOfOffering(offering: Offering): Map<string, readonly (string | undefined)[]> {
  const labels = new Map<string, readonly (string | undefined)[]>();
  for (const [key, { values }] of offering.requirements) {
    labels.set(key, values.size === 0 ? [undefined] : [...values]);
  }
  if (offering.zoneId !== '') labels.set('topology.k8s.aws/zone-id', [offering.zoneId]);
  return labels
    .set(ZONE, [offering.zone])
    .set(CAPACITY_TYPE, [offering.capacityType])
    .set(RESERVATION, [offering.reservationId]);
}

/** The daemons that would run on a node of the pool with these labels. */
export function daemonsOn(snapshot: Snapshot, { template }: NodePool, labels: Labels) {
  const whenTheyRun: Labels = new Map([
    ...labels,
    ['karpenter.sh/registered', ['true']],
    ['karpenter.sh/initialized', ['true']],
  ]);
  return snapshot.daemonSets
    .map(({ pod }) => pod)
    .filter(
      (pod) =>
        pod.resourceClaims.length === 0 &&
        toleratesAll(pod, template.taints) &&
        mightSelect(pod, whenTheyRun),
    );
}

/** Everything that is wrong with one NodeClaim of a placing. */
export function claimProblems(
  snapshot: Snapshot,
  placing: Placing,
  claim: PlannedNodeClaim,
  pods: ReadonlyMap<string, Pod>,
): readonly string[] {
  const pool = snapshot.nodePools.find(({ meta }) => meta.name === claim.nodePool);
  const creations = placing.creations
    .filter((action) => action.kind === 'createNodeClaim')
    .filter((action) => action.claim.name === claim.name);
  const [creation] = creations;
  if (!pool || !creation) return [`${claim.name} has no NodePool or is not created`];
  const members = claim.pods.flatMap((name) => pods.get(name) ?? []);
  const problems: string[] = [];
  if (creations.length > 1) problems.push('it is created twice');
  if (!givesNodes(pool)) problems.push(`its NodePool ${pool.meta.name} gives no nodes`);
  if (members.length === 0) problems.push('it is for nobody');
  if (claim.pods.join() !== creation.forPods.join()) problems.push('it is created for others');
  problems.push(
    ...nameProblems(snapshot, placing, claim),
    ...objectProblems(pool, claim, creation.claim, members),
    ...nodesProblems(snapshot, pool, { claim, created: creation.claim, members }),
    ...minValuesProblems(snapshot, pool, claim, creation.claim),
  );
  return problems.map((problem) => `${claim.name}: ${problem}`);
}

function nameProblems(
  { nodes }: Snapshot,
  { claims }: Placing,
  { name }: PlannedNodeClaim,
): readonly string[] {
  const isTaken =
    nodes.some((each) => each.name === name || each.claim?.meta.name === name) ||
    claims.filter((each) => each.name === name).length > 1;
  return isTaken ? ['its name is taken'] : [];
}

/** The object that is created says what the plan says and what the NodePool's template says. */
function objectProblems(
  { meta, template }: NodePool,
  claim: PlannedNodeClaim,
  created: NewNodeClaim,
  members: readonly Pod[],
): readonly string[] {
  const problems: string[] = [];
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const { spec, labels } = created;
  if (!same(spec.requirements, claim.requirements)) problems.push('it is created otherwise');
  if (!same(spec.taints, template.taints)) problems.push('it lacks taints of its pool');
  if (!same(spec.startupTaints, template.startupTaints)) problems.push('it lacks startup taints');
  if (!same(spec.nodeClassRef, template.nodeClassRef)) problems.push('it has another NodeClass');
  const promised = {
    ...template.labels,
    [NODEPOOL]: meta.name,
    [NODECLASS]: template.nodeClassRef.name,
  };
  for (const [key, value] of Object.entries(promised)) {
    if (labels[key] !== value) problems.push(`it lacks the label ${key}`);
  }
  const short = shortOf(sum(members.map(({ requests }) => requests)), spec.requests);
  if (short.length > 0) problems.push(`it asks for too little ${short.join()}`);
  return problems;
}

interface Filled {
  readonly claim: PlannedNodeClaim;
  readonly created: NewNodeClaim;
  readonly members: readonly Pod[];
}

/** Each type that a launch could choose, in each way it could be bought. */
function nodesProblems(snapshot: Snapshot, pool: NodePool, filled: Filled): readonly string[] {
  const { claim, created } = filled;
  const types = typesOf(snapshot, pool);
  const problems: string[] = [];
  const lines = claim.requirements.filter((line) => keyOf(line) === INSTANCE_TYPE);
  for (const { name } of types) {
    const isOpen = lines.every(({ operator, values }) => allows(operator, values ?? [], name));
    if (isOpen !== claim.instanceTypes.includes(name)) {
      problems.push(`${name} is ${isOpen ? 'open to a launch but not listed' : 'ruled out'}`);
    }
  }
  const prices = new Map<string, number>();
  for (const name of claim.instanceTypes) {
    const ways = outcomesOf(snapshot, pool, { ...claim, instanceTypes: [name] }, created.labels);
    if (ways.length === 0) problems.push(`${name} cannot be had`);
    for (const { offering, labels, type: known } of ways) {
      prices.set(`${name} ${offering.zone} ${offering.capacityType}`, offering.usdPerHour);
      problems.push(
        ...nodeProblems(snapshot, pool, { type: known, labels, members: filled.members }).map(
          (problem) => `${name} ${offering.capacityType} ${offering.zone}: ${problem}`,
        ),
      );
    }
  }
  const least = Math.min(...prices.values());
  const { instanceType, zone, capacityType } = claim.cheapest;
  const said = prices.get(`${instanceType} ${zone} ${capacityType}`);
  if (said !== claim.usdPerHour || Math.abs(least - claim.usdPerHour) > 1e-12) {
    problems.push(`it costs ${least}, not ${claim.usdPerHour}, and the cheapest ${said}`);
  }
  return problems;
}

/** Each type that a launch could choose, in each way it could be bought, with its node's labels. */
export const outcomesOf = (
  snapshot: Snapshot,
  pool: NodePool,
  { instanceTypes, requirements }: PlannedNodeClaim,
  claimLabels: Readonly<Record<string, string>>,
) =>
  typesOf(snapshot, pool)
    .filter(({ name }) => instanceTypes.includes(name))
    .flatMap((type) =>
      type.offerings.filter(isForSale).flatMap((offering) => {
        const labels = labelsOf(type, offering, claimLabels, requirements);
        return labels ? [{ type, offering, labels }] : [];
      }),
    );

/** The labels of such a node, or undefined where the NodeClaim's requirements rule it out. */
function labelsOf(
  type: InstanceType,
  offering: Offering,
  claimLabels: Readonly<Record<string, string>>,
  requirements: readonly RequirementSpec[],
): Labels | undefined {
  const labels = new Map([
    ...labelsOfType(type),
    ...Object.entries(claimLabels).map(([key, value]) => [key, [value]] as const),
    ...labelsOfOffering(offering),
  ]);
  // A launch settles what a type leaves open within the NodeClaim's requirements.
  for (const [key, values] of labels) {
    const lines = requirements.filter((line) => keyOf(line) === key);
    const left = values.filter((value) =>
      lines.every(({ operator, values: listed }) => allows(operator, listed ?? [], value)),
    );
    if (left.length === 0) return undefined;
    labels.set(key, left);
  }
  return labels;
}

function nodeProblems(
  snapshot: Snapshot,
  pool: NodePool,
  {
    type,
    labels,
    members,
  }: { readonly type: InstanceType; readonly labels: Labels; readonly members: readonly Pod[] },
): readonly string[] {
  const problems: string[] = [];
  const { taints, requirements } = pool.template;
  for (const line of requirements) {
    if (!meets(labels, line)) problems.push(`breaks the pool's ${line.key}`);
  }
  for (const pod of members) {
    if (!toleratesAll(pod, taints)) problems.push(`${nameOf(pod)} minds a taint`);
    if (!selectsNode(pod, labels)) problems.push(`${nameOf(pod)} asks for other labels`);
    if (pod.resourceClaims.length > 0) problems.push(`${nameOf(pod)} needs devices`);
    if (isKeptAway(pod, undefined, labels, snapshot)) problems.push(`${nameOf(pod)} is kept away`);
  }
  const daemons = daemonsOn(snapshot, pool, labels);
  const asked = sum([...members, ...daemons].map(({ requests }) => requests));
  for (const name of shortOf(asked, type.allocatable)) problems.push(`has too little ${name}`);
  if (portsClash(members, daemons)) problems.push('two pods want one host port');
  return problems;
}

/** The NodePool's minimums are the NodeClaim's, or said to be lowered, and are met. */
function minValuesProblems(
  snapshot: Snapshot,
  pool: NodePool,
  claim: PlannedNodeClaim,
  created: NewNodeClaim,
): readonly string[] {
  const listed = typesOf(snapshot, pool).filter(({ name }) => claim.instanceTypes.includes(name));
  return pool.template.requirements.flatMap((line) => {
    const wanted = line.minValues ?? 0;
    if (wanted === 0) return [];
    const key = keyOf(line);
    const lines = claim.requirements.filter((each) => keyOf(each) === key);
    const values = new Set(
      listed
        .flatMap((type) => labelsOfType(type).get(key) ?? [])
        .filter((value) => value !== undefined)
        .filter((value) =>
          lines.every(({ operator, values: open }) => allows(operator, open ?? [], value)),
        ),
    );
    const promised = Math.max(0, ...lines.map(({ minValues = 0 }) => minValues));
    if (values.size < promised) return [`it promises ${promised} values of ${key}`];
    if (values.size >= wanted && promised >= wanted) return [];
    const isTold = created.annotations['karpenter.sh/nodeclaim-min-values-relaxed'] === 'true';
    const mayLower = snapshot.settings.minValuesPolicy === 'BestEffort';
    return isTold && mayLower ? [] : [`minValues of ${key} is not met`];
  });
}
