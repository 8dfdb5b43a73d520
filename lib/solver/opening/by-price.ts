import { compareText } from '#lib/constraints/order.ts';
import type { Admission, Choice } from '../admission.ts';
import type { Source, SourceType } from '../sources.ts';

/** Orders by price, then name. */
export const byPrice = (a: Choice, b: Choice): number =>
  a.usdPerHour - b.usdPerHour || compareText(a.sourceType.type.name, b.sourceType.type.name);

const choicesOf = new WeakMap<Admission, readonly Choice[]>();
const namesOf = new WeakMap<Source, readonly string[]>();

/**
 * The choices of an Admission by price, then name; found once. Whatever pods ask, types keep about
 * the order that they have in their NodePool, so that there is little left to sort.
 */
export function choicesByPrice(admission: Admission): readonly Choice[] {
  const known = choicesOf.get(admission);
  if (known) return known;
  const choices: Choice[] = [];
  for (const name of namesByPrice(admission.source)) {
    const choice = admission.choices.get(name);
    if (choice) choices.push(choice);
  }
  choicesOf.set(admission, choices.sort(byPrice));
  return choices;
}

function namesByPrice(source: Source): readonly string[] {
  const known = namesOf.get(source);
  if (known) return known;
  const sold = source.types.filter(({ offerings }) => offerings.length > 0);
  const names = sold.sort((a, b) => leastOf(a) - leastOf(b)).map(({ type }) => type.name);
  namesOf.set(source, names);
  return names;
}

const leastOf = ({ offerings: [cheapest] }: SourceType): number => cheapest?.usdPerHour ?? 0;
