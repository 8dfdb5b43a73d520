/** The most that one page may hold. Source: EC2 API, Describe calls, MaxResults. */
const PAGE = 1_000;

/** Where a page starts and how long it may be. */
export interface PageRequest {
  readonly MaxResults: number;
  readonly NextToken?: string;
}

/** Everything that a paged call has to tell, in its order, in pages of `size` items at most. */
export async function everyPage<Answer extends { readonly NextToken?: string | undefined }, Item>(
  ask: (page: PageRequest) => Promise<Answer>,
  itemsOf: (answer: Answer) => readonly Item[],
  size = PAGE,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let token: string | undefined;
  do {
    const page: PageRequest = {
      MaxResults: size,
      ...(token === undefined ? {} : { NextToken: token }),
    };
    const answer = await ask(page);
    items.push(...itemsOf(answer));
    token = answer.NextToken;
  } while (token !== undefined && token !== '');
  return items;
}
