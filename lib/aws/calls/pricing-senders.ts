import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import type { ClientSettings, Sender } from '#lib/aws/place.ts';
import { partitionOf } from '#lib/ec2/partition.ts';

/** The price list's one operation, as an SDK command, sent to where the partition keeps the list. */
export function pricingSenders(place: ClientSettings) {
  const client = new PricingClient({
    ...place,
    region: partitionOf(place.region).priceListRegion ?? place.region,
  });
  return {
    GetProducts: (input) => client.send(new GetProductsCommand(typed(input))),
  } satisfies Readonly<Record<string, Sender>>;
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
