import { awsErrorKind, describeAwsError } from '#lib/aws/errors.ts';
import { ensureInstanceProfile } from '#lib/aws/instance-profile.ts';
import { RESOLVED_CONDITIONS } from '#lib/ec2/node-class/node-class-parts.ts';
import { DEPENDENTS } from '#lib/ec2/node-class/node-class-status.ts';
import { decodeNodeClass } from '#lib/kube/decode/decode-node-class.ts';
import { encodeCondition } from '#lib/kube/encode-change.ts';
import { send } from '#lib/kube/errors.ts';
import { patchStatus, pathOfRef } from '#lib/kube/write.ts';
import { withCondition, withRoot } from '#lib/model/conditions.ts';
import { nodeClassRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { LimitedPorts } from './ports.ts';
import { DONE, type Result } from './result.ts';
import type { Versions } from './versions.ts';

type Ports = LimitedPorts & { readonly versions: Versions };
type Wanted = Extract<Action, { readonly kind: 'ensureInstanceProfile' }>;

/**
 * Makes an instance profile with its role. Why it could not be made is written into the NodeClass
 * (a role that is not there, a permission that is missing), since nothing else shows it there; a
 * throttled call is only tried again. Throws what the call threw.
 */
export async function makeProfile(ports: Ports, wanted: Wanted): Promise<Result> {
  try {
    await ensureInstanceProfile(ports.aws, wanted);
    return DONE;
  } catch (error) {
    if (ports.isFromAws(error)) await tellFailure(ports, wanted, error);
    throw error;
  }
}

async function tellFailure(ports: Ports, { nodeClass, role }: Wanted, error: unknown) {
  const kind = awsErrorKind(error);
  if (kind === 'throttled') return;
  const path = pathOfRef(nodeClass);
  const found = decodeNodeClass(await send(ports.kube, { method: 'GET', path }));
  const { meta, status } = found;
  if (meta.uid !== nodeClass.uid) return;
  const change = {
    type: RESOLVED_CONDITIONS.instanceProfile,
    status: 'False',
    reason: kind === 'notFound' ? 'RoleNotFound' : 'InstanceProfileNotMade',
    message: `The role ${role} cannot be given to nodes: ${describeAwsError(error)}`,
    observedGeneration: meta.generation,
  } as const;
  const told = withCondition(status.conditions, change, ports.now());
  if (told === status.conditions) return;
  const conditions = withRoot(told, { ...meta, dependents: DEPENDENTS }, ports.now());
  const version = await patchStatus(ports.kube, nodeClassRef(found), {
    conditions: conditions.map(encodeCondition),
  });
  ports.versions.note(nodeClass, version);
}
