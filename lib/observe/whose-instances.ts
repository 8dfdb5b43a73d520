import { describeAwsError } from '#lib/aws/errors.ts';
import { findInstances } from '#lib/aws/instances.ts';
import { isTaggedFor } from '#lib/ec2/launch/tags.ts';
import { group, wire } from '#lib/kube/decode/field.ts';
import { listPages } from '#lib/kube/list.ts';
import type { ObservePorts } from './observe.ts';

/** Whose instances are. Those in neither set are of nobody here. */
export interface Whose {
  /** A NodeClaim holds them. */
  readonly ours: ReadonlySet<string>;
  /** Those of ours whose NodeClaim is being deleted. */
  readonly going: ReadonlySet<string>;
  /** They carry this cluster's tags, and no NodeClaim knows of them yet. */
  readonly joining: ReadonlySet<string>;
  /** EC2 did not answer whose they are, and why; absent where it did, or was not asked. */
  readonly unanswered?: { readonly ids: ReadonlySet<string>; readonly because: string };
}

/**
 * Finds out whose instances are, without a look at the whole cluster: by the NodeClaims, and only
 * for `doubtful` ones that no NodeClaim holds by one question to EC2. Where EC2 does not answer, the
 * others are told all the same: their time runs. Throws KubeFailure.
 */
export async function whoseInstances(
  ports: Pick<ObservePorts, 'kube' | 'aws' | 'settings'>,
  ids: ReadonlySet<string>,
  doubtful: ReadonlySet<string>,
): Promise<Whose> {
  const { pages } = await listPages(ports.kube, { kind: 'NodeClaim' }, (items) =>
    items.flatMap(holdingIn),
  );
  const holdings = pages.flat();
  const held = new Set(holdings.map(({ id }) => id));
  const ours = new Set([...ids].filter((id) => held.has(id)));
  const unknown = [...doubtful].filter((id) => !held.has(id)).sort();
  const going = new Set(
    holdings.flatMap(({ id, isGoing }) => (isGoing && ids.has(id) ? [id] : [])),
  );
  return { ours, going, ...(await joiningOf(ports, unknown)) };
}

async function joiningOf(
  { aws, settings }: Pick<ObservePorts, 'aws' | 'settings'>,
  unknown: readonly string[],
): Promise<Pick<Whose, 'joining' | 'unanswered'>> {
  if (unknown.length === 0) return { joining: new Set() };
  try {
    const joining = (await findInstances(aws, unknown)).filter(
      ({ state, tags }) =>
        state !== 'terminated' && isTaggedFor(tags, settings.cluster.clusterName),
    );
    return { joining: new Set(joining.map(({ id }) => id)) };
  } catch (error) {
    const because = describeAwsError(error);
    return { joining: new Set(), unanswered: { ids: new Set(unknown), because } };
  }
}

/** aws:///us-east-1a/i-0abc is i-0abc; nothing where none was launched yet. */
function holdingIn(item: unknown): readonly { readonly id: string; readonly isGoing: boolean }[] {
  const { providerID } = group(wire(item), 'status');
  const id = typeof providerID === 'string' ? providerID.split('/').at(-1) : undefined;
  const isGoing = group(wire(item), 'metadata').deletionTimestamp !== undefined;
  return id ? [{ id, isGoing }] : [];
}
