import {
  DescribeAvailabilityZonesCommand,
  type DescribeAvailabilityZonesCommandInput,
  type DescribeAvailabilityZonesCommandOutput,
  DescribeInstanceTypeOfferingsCommand,
  type DescribeInstanceTypeOfferingsCommandInput,
  type DescribeInstanceTypeOfferingsCommandOutput,
  DescribeInstanceTypesCommand,
  type DescribeInstanceTypesCommandInput,
  type DescribeInstanceTypesCommandOutput,
  DescribeSpotPriceHistoryCommand,
  type DescribeSpotPriceHistoryCommandInput,
  type DescribeSpotPriceHistoryCommandOutput,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import {
  GetProductsCommand,
  type GetProductsCommandInput,
  type GetProductsCommandOutput,
  PricingClient,
} from '@aws-sdk/client-pricing';
import { partitionOf } from '#lib/ec2/partition.ts';
import type { ClientSettings } from './place.ts';

/** The operations that tell what EC2 sells and for how much. */
export interface MarketOperations {
  readonly DescribeAvailabilityZones: {
    readonly input: DescribeAvailabilityZonesCommandInput;
    readonly output: DescribeAvailabilityZonesCommandOutput;
  };
  readonly DescribeInstanceTypeOfferings: {
    readonly input: DescribeInstanceTypeOfferingsCommandInput;
    readonly output: DescribeInstanceTypeOfferingsCommandOutput;
  };
  readonly DescribeInstanceTypes: {
    readonly input: DescribeInstanceTypesCommandInput;
    readonly output: DescribeInstanceTypesCommandOutput;
  };
  readonly DescribeSpotPriceHistory: {
    readonly input: DescribeSpotPriceHistoryCommandInput;
    readonly output: DescribeSpotPriceHistoryCommandOutput;
  };
  readonly GetProducts: {
    readonly input: GetProductsCommandInput;
    readonly output: GetProductsCommandOutput;
  };
}

type Senders = Readonly<Record<keyof MarketOperations, (input: unknown) => Promise<unknown>>>;

/** Each of them as one SDK command. The price list is asked for where the partition keeps it. */
export function marketSenders(place: ClientSettings, ec2: EC2Client): Senders {
  const { priceListRegion } = partitionOf(place.region);
  const pricing = new PricingClient({ ...place, region: priceListRegion ?? place.region });
  return {
    DescribeAvailabilityZones: (input) =>
      ec2.send(new DescribeAvailabilityZonesCommand(typed(input))),
    DescribeInstanceTypeOfferings: (input) =>
      ec2.send(new DescribeInstanceTypeOfferingsCommand(typed(input))),
    DescribeInstanceTypes: (input) => ec2.send(new DescribeInstanceTypesCommand(typed(input))),
    DescribeSpotPriceHistory: (input) =>
      ec2.send(new DescribeSpotPriceHistoryCommand(typed(input))),
    GetProducts: (input) => pricing.send(new GetProductsCommand(typed(input))),
  };
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
