import { parse } from 'yaml';
import type { TopologySpreadConstraint } from '#lib/model/pod.ts';
import { qualifiedNameProblems } from '#lib/model/validation/qualified-name.ts';
import { decodeTopologySpread } from './decode-affinity.ts';
import { DecodeError, type Decoder, grouped, list, type Wire, wire } from './field.ts';

/**
 * The spread that pods get which ask for none, from a document such as
 * { podTopologySpread: { defaultConstraints: [{ maxSkew, topologyKey, whenUnsatisfiable }] } }.
 * What kube-scheduler would not accept in its own configuration is refused. Throws DecodeError.
 *
 * Source: karpenter v1.14, operator/options, --scheduler-config.
 */
function decodeSchedulerConfig(value: unknown): readonly TopologySpreadConstraint[] {
  const body = onlyWith(wire(value), ['podTopologySpread']);
  const constraints = grouped(body, 'podTopologySpread', (spread) =>
    list(onlyWith(spread, ['defaultConstraints']), 'defaultConstraints', decodeDefault),
  );
  constraints.forEach((constraint, at) => {
    const twin = constraints.findIndex((other) => isTwin(other, constraint));
    if (twin === at) return;
    const field = `podTopologySpread.defaultConstraints[${at}]`;
    const { topologyKey, whenUnsatisfiable } = constraint;
    const problem = `says the same as [${twin}]: one constraint for ${topologyKey} and ${whenUnsatisfiable}`;
    throw new DecodeError(field, problem);
  });
  return constraints;
}

/**
 * The same from the text of a document, YAML or JSON; nothing for an empty one. What is wrong with
 * it is a sentence without its end.
 */
export function parseSchedulerConfig(
  text: string,
): readonly TopologySpreadConstraint[] | { readonly problem: string } {
  try {
    return text.trim() === '' ? [] : decodeSchedulerConfig(parse(text));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problem: error.message.split('\n', 1).join('') };
  }
}

const isTwin = (a: TopologySpreadConstraint, b: TopologySpreadConstraint): boolean =>
  a.topologyKey === b.topologyKey && a.whenUnsatisfiable === b.whenUnsatisfiable;

const FIELDS = [
  'maxSkew',
  'topologyKey',
  'whenUnsatisfiable',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
];

const decodeDefault: Decoder<TopologySpreadConstraint> = (value) => {
  const fields = wire(value);
  if (fields.labelSelector !== undefined) {
    throw new DecodeError(
      'labelSelector',
      'must not be set, as selectors are deduced for each pod',
    );
  }
  if (Array.isArray(fields.matchLabelKeys) && fields.matchLabelKeys.length > 0) {
    const problem = 'must not be set, as it has no effect on default constraints';
    throw new DecodeError('matchLabelKeys', problem);
  }
  const constraint = decodeTopologySpread(onlyWith(fields, [...FIELDS, 'matchLabelKeys']));
  if (constraint.maxSkew <= 0) throw new DecodeError('maxSkew', 'must be greater than 0');
  const [problem] = qualifiedNameProblems(constraint.topologyKey);
  if (problem !== undefined) throw new DecodeError('topologyKey', problem);
  return constraint;
};

/** `of`, which may hold no field but these: a misspelt one would be a wish that nobody hears. */
function onlyWith(of: Wire, fields: readonly string[]): Wire {
  const unknown = Object.keys(of).find((key) => !fields.includes(key));
  if (unknown === undefined) return of;
  throw new DecodeError(unknown, `unknown field, expected one of ${fields.join(', ')}`);
}
