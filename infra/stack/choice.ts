import { CfnCondition, CfnResource, Fn } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';

/**
 * Whether a part of the deployment is made: known when a CDK app runs, or only when the template is
 * deployed with its parameters.
 */
export type Choice = boolean | CfnCondition;

/** Makes a part where the choice does not rule it out, and puts all of it under its condition. */
export function makeIf<Part extends IConstruct>(
  choice: Choice,
  make: () => Part,
): Part | undefined {
  if (choice === false) return undefined;
  const part = make();
  if (choice === true) return part;
  for (const child of part.node.findAll()) {
    if (child instanceof CfnResource) child.cfnOptions.condition = choice;
  }
  return part;
}

/** One of two texts, as the choice will have it. */
export function either(choice: Choice, chosen: string, otherwise: string): string {
  if (typeof choice === 'boolean') return choice ? chosen : otherwise;
  return Fn.conditionIf(choice.logicalId, chosen, otherwise).toString();
}

/** That both are chosen; a template's condition `id` in `scope` where only the parameters know. */
export function both(scope: Construct, id: string, one: Choice, other: Choice): Choice {
  if (typeof one === 'boolean') return one && other;
  if (typeof other === 'boolean') return other && one;
  return new CfnCondition(scope, id, { expression: Fn.conditionAnd(one, other) });
}

/** That one of two is chosen, or both; a template's condition as `both` makes one. */
export function oneOrOther(scope: Construct, id: string, one: Choice, other: Choice): Choice {
  if (typeof one === 'boolean') return one || other;
  if (typeof other === 'boolean') return other || one;
  return new CfnCondition(scope, id, { expression: Fn.conditionOr(one, other) });
}
