import { agrees, requirementsOf } from '#lib/constraints/requirements.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { ResolvedAmi } from '#lib/model/node-class.ts';

/** Says which image a type boots; undefined where none of them fits it. */
export type ImageChoice = (type: Pick<InstanceType, 'requirements'>) => ResolvedAmi | undefined;

/**
 * Chooses among the images of a NodeClass's status: the first whose requirements the type meets.
 * Launch and drift choose alike, or a node would drift from the moment it is there.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/resolver.go, MapToInstanceTypes.
 */
export function imageChoice(amis: readonly ResolvedAmi[]): ImageChoice {
  const required = amis.map((ami) => ({ ami, requirements: requirementsOf(ami.requirements) }));
  return (type) =>
    required.find(({ requirements }) => agrees(type.requirements, requirements))?.ami;
}
