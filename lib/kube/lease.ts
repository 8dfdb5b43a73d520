import { decodeLease, type LeaseRecord } from '#lib/kube/decode/decode-lease.ts';
import { COMPONENT, NAMESPACE } from '#lib/model/labels.ts';
import { type EpochMs, formatInstant } from '#lib/model/time.ts';
import { microTime } from './encode-time.ts';
import { alreadyExists, isGone, KubeFailure, send } from './errors.ts';
import { pathOf } from './kinds.ts';
import { createOurs } from './namespace.ts';
import { LAST_LOOK, NEXT_LOOK, SCHEMA, SCHEMA_VALUE, STATUS_ASKED } from './own-annotations.ts';
import type { KubeTransport } from './transport.ts';
import { patch } from './write.ts';

/** How long a holder that does not renew keeps others out. */
const LEASE_SECONDS = 15;
/** A lease with less left than this is renewed before the next call. */
const RENEW_BELOW_MS = 10_000;
/** Whoever loses this many races in a row lets the others go first. */
const MAX_ATTEMPTS = 3;

/**
 * Clocks may be this far apart. Of our own Lease that costs nothing, for two who act at once do no
 * harm; Karpenter's writes are not made for that.
 */
const CLOCK_SKEW_MS = 60_000;

const KARPENTER_LEASE = { namespace: 'kube-system', name: 'karpenter-leader-election' };

/** What holding the Lease takes. */
export interface LeasePorts {
  readonly kube: KubeTransport;
  readonly now: () => EpochMs;
}

/** The Lease while it is ours. */
export interface HeldLease {
  readonly kind: 'ours';
  /** When the last look began; absent before the first. */
  readonly lastLookAt?: EpochMs;
  /** When EC2 was last asked how instances are; absent where it never was. */
  readonly statusAskedAt?: EpochMs;
  /** When a look is due already, as seen from `now`; Infinity where none is. */
  readonly nextLookAt: (now: EpochMs) => EpochMs;
  /** Whether it is still ours; renews it where little of it is left. */
  readonly isOurs: () => Promise<boolean>;
  /** Lets it go, and writes down the looks; does nothing where it is no longer ours. */
  readonly release: (looks: Looks) => Promise<void>;
}

/** What the Lease tells whoever takes it next; what is absent stays as it is. */
interface Looks {
  readonly lastLookAt?: EpochMs;
  readonly nextLookAt?: EpochMs;
  readonly statusAskedAt?: EpochMs;
}

/** Somebody else's Lease. */
export interface ForeignLease {
  readonly kind: 'held';
  readonly freeAt: EpochMs;
}

/**
 * Takes Joinery's Lease for `identity`, making it (and its namespace) where it is missing. It is
 * ours when it was free, had run out, or was this identity's already. Throws KubeFailure.
 */
export async function takeLease(
  ports: LeasePorts,
  identity: string,
): Promise<HeldLease | ForeignLease> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await readOurs(ports.kube);
    if (found && isAnothers(found, identity, ports.now())) {
      return { kind: 'held', freeAt: endOf(found) };
    }
    try {
      const renewedAt = ports.now();
      const record = found ? await claim(ports, found, identity) : await make(ports, identity);
      return held(ports, identity, { record, renewedAt });
    } catch (error) {
      if (!isLostRace(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

const isAnothers = (lease: LeaseRecord, identity: string, now: EpochMs): boolean =>
  lease.holder !== '' && lease.holder !== identity && endOf(lease) > now;

/**
 * Who holds Karpenter's own Lease at this moment, if anybody does: while one lives, Joinery looks
 * but does not act. Source: karpenter v1.14, operator.go, LeaderElectionID.
 */
export async function foreignHolder(
  kube: KubeTransport,
  now: EpochMs,
): Promise<string | undefined> {
  const record = await read(kube, KARPENTER_LEASE);
  return record && isAnothers(record, '', now - CLOCK_SKEW_MS) ? record.holder : undefined;
}

function held(
  ports: LeasePorts,
  identity: string,
  first: { readonly record: LeaseRecord; readonly renewedAt: EpochMs },
): HeldLease {
  let current = first;
  const { lastLook, nextLook, statusAsked } = first.record;
  let renewing: Promise<boolean> | undefined;
  const renew = async (): Promise<boolean> => {
    const now = ports.now();
    const record = await claimAgain(ports, current.record, identity);
    if (record !== undefined) current = { record, renewedAt: now };
    return record !== undefined;
  };
  // Calls that run side by side share one renewal: two would race each other.
  const renewOnce = (): Promise<boolean> => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  return {
    kind: 'ours',
    ...(lastLook !== undefined && { lastLookAt: lastLook }),
    ...(statusAsked !== undefined && { statusAskedAt: statusAsked }),
    nextLookAt: (now) =>
      nextLook !== undefined && nextLook >= now ? nextLook : Number.POSITIVE_INFINITY,
    isOurs: async () => {
      const left = current.renewedAt + LEASE_SECONDS * 1_000 - ports.now();
      return left > RENEW_BELOW_MS || (await renewOnce());
    },
    release: async (looks) => {
      const metadata = { annotations: annotationsOf(looks) };
      try {
        await patch(ports.kube, current.record.ref, { metadata, spec: { holderIdentity: '' } });
      } catch (error) {
        // Nothing is lost but time: a Lease that nobody lets go of runs out.
        if (!(error instanceof KubeFailure)) throw error;
      }
    },
  };
}

const annotationsOf = ({ lastLookAt, nextLookAt, statusAskedAt }: Looks) => ({
  ...(lastLookAt !== undefined && { [LAST_LOOK]: formatInstant(lastLookAt) }),
  ...(nextLookAt !== undefined && { [NEXT_LOOK]: formatInstant(nextLookAt) }),
  ...(statusAskedAt !== undefined && { [STATUS_ASKED]: formatInstant(statusAskedAt) }),
});

/** Renews; where the object has changed, looks whether it is still ours. */
async function claimAgain(
  ports: LeasePorts,
  record: LeaseRecord,
  identity: string,
): Promise<LeaseRecord | undefined> {
  try {
    return await claim(ports, record, identity);
  } catch (error) {
    if (!isLostRace(error)) throw error;
  }
  const found = await readOurs(ports.kube);
  if (found === undefined || found.holder !== identity) return undefined;
  try {
    return await claim(ports, found, identity);
  } catch (error) {
    if (!isLostRace(error)) throw error;
    return undefined;
  }
}

async function claim(
  ports: LeasePorts,
  found: LeaseRecord,
  identity: string,
): Promise<LeaseRecord> {
  const at = microTime(ports.now());
  const isNew = found.holder !== identity;
  const spec = {
    holderIdentity: identity,
    leaseDurationSeconds: LEASE_SECONDS,
    renewTime: at,
    ...(isNew && { acquireTime: at, leaseTransitions: found.transitions + 1 }),
  };
  const resourceVersion = await patch(ports.kube, found.ref, { spec });
  return { ...found, ref: { ...found.ref, resourceVersion }, holder: identity };
}

async function make(ports: LeasePorts, identity: string): Promise<LeaseRecord> {
  const at = microTime(ports.now());
  return decodeLease(
    await createOurs(ports.kube, 'Lease', {
      metadata: { name: COMPONENT, namespace: NAMESPACE, annotations: { [SCHEMA]: SCHEMA_VALUE } },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: LEASE_SECONDS,
        acquireTime: at,
        renewTime: at,
        leaseTransitions: 0,
      },
    }),
  );
}

async function readOurs(kube: KubeTransport): Promise<LeaseRecord | undefined> {
  const record = await read(kube, { namespace: NAMESPACE, name: COMPONENT });
  if (record !== undefined && (record.schema ?? SCHEMA_VALUE) !== SCHEMA_VALUE) {
    throw new KubeFailure(
      'broken',
      `Lease ${NAMESPACE}/${COMPONENT} is written in schema ${record.schema}, ` +
        `this version of Joinery knows only ${SCHEMA_VALUE}: run one version at a time`,
      {},
    );
  }
  return record;
}

async function read(
  kube: KubeTransport,
  at: { readonly namespace: string; readonly name: string },
): Promise<LeaseRecord | undefined> {
  try {
    return decodeLease(await send(kube, { method: 'GET', path: pathOf('Lease', at) }));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const endOf = ({ renewedAt, seconds }: LeaseRecord): EpochMs => renewedAt + seconds * 1_000;

const isLostRace = (error: unknown): boolean =>
  alreadyExists(error) ||
  isGone(error) ||
  (error instanceof KubeFailure && error.kind === 'conflict');
