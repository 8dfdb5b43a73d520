/** Says which of two things comes first: negative, 0 or positive, as Array.sort wants it. */
export type Comparator<T> = (a: T, b: T) => number;

/** What the orders by name look at. */
interface Named {
  readonly meta: { readonly name: string; readonly namespace?: string };
}

/**
 * Orders texts by UTF-16 code unit, the same on every machine; never by a locale.
 *
 * Example: "B" < "a" < "a-1" < "a1"
 */
export const compareText: Comparator<string> = (a, b) => {
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

/** Orders objects by name. */
export const byName: Comparator<Named> = (a, b) => compareText(a.meta.name, b.meta.name);

/** Orders objects by namespace, then name; cluster-scoped ones come first. */
export const byNamespacedName: Comparator<Named> = (a, b) =>
  compareText(a.meta.namespace ?? '', b.meta.namespace ?? '') || byName(a, b);

/** Orders by the first of `comparators` that sees a difference. */
export const chain =
  <T>(...comparators: readonly Comparator<T>[]): Comparator<T> =>
  (a, b) => {
    for (const compare of comparators) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
