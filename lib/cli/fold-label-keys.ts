import { texts } from '#lib/kube/decode/decode-meta.ts';
import { group, list, type Wire, wire } from '#lib/kube/decode/field.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const KINDS = ['podAffinity', 'podAntiAffinity'];

/**
 * The pod with what the matchLabelKeys and mismatchLabelKeys of its affinity terms stand for as
 * expressions of their selectors, as an API server stores it. What stands there already is not
 * repeated. Throws DecodeError where a term cannot be read.
 *
 * Source: kubernetes v1.36, registry/core/pod/strategy.go,
 * applyMatchLabelKeysAndMismatchLabelKeys.
 */
export function withFoldedLabelKeys(pod: Wire): Wire {
  const spec = group(pod, 'spec');
  const affinity = group(spec, 'affinity');
  if (!KINDS.some((kind) => affinity[kind] !== undefined)) return pod;
  const labels = texts(group(pod, 'metadata'), 'labels');
  const fold = (term: Wire): Wire => foldedTerm(term, labels);
  const folded = KINDS.filter((kind) => affinity[kind]).map((kind) => {
    const terms = group(affinity, kind);
    const preferred = list(terms, PREFERRED, wire).map((weighted) => ({
      ...weighted,
      podAffinityTerm: fold(group(weighted, 'podAffinityTerm')),
    }));
    return [
      kind,
      { ...terms, [REQUIRED]: list(terms, REQUIRED, wire).map(fold), [PREFERRED]: preferred },
    ];
  });
  const foldedAffinity = { ...affinity, ...Object.fromEntries(folded) };
  return { ...pod, spec: { ...spec, affinity: foldedAffinity } };
}

function foldedTerm(term: Wire, labels: Readonly<Record<string, string>>): Wire {
  const keysUnder = (name: string): readonly string[] =>
    list(term, name, String).filter((key) => Object.hasOwn(labels, key));
  const expressions = [
    ...keysUnder('matchLabelKeys').map((key) => expression(key, 'In', labels[key])),
    ...keysUnder('mismatchLabelKeys').map((key) => expression(key, 'NotIn', labels[key])),
  ];
  if (expressions.length === 0 || !term.labelSelector) return term;
  const selector = group(term, 'labelSelector');
  const known = list(selector, 'matchExpressions', wire);
  const isKnown = (one: Wire): boolean =>
    known.some(({ key, operator, values }) => textOf({ key, operator, values }) === textOf(one));
  const matchExpressions = [...known, ...expressions.filter((one) => !isKnown(one))];
  return { ...term, labelSelector: { ...selector, matchExpressions } };
}

const expression = (key: string, operator: string, value: unknown): Wire => ({
  key,
  operator,
  values: [value],
});

const textOf = (value: Wire): string => JSON.stringify(value);
