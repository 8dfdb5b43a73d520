/** So many of something, in words. Example: 1 and "node" is "1 node". */
export const counted = (amount: number, one: string): string =>
  `${amount} ${amount === 1 ? one : `${one}s`}`;
