import type {
  DescribeAvailabilityZonesCommandInput,
  DescribeAvailabilityZonesCommandOutput,
  DescribeInstanceTypeOfferingsCommandInput,
  DescribeInstanceTypeOfferingsCommandOutput,
  DescribeInstanceTypesCommandInput,
  DescribeInstanceTypesCommandOutput,
  DescribeSpotPriceHistoryCommandInput,
  DescribeSpotPriceHistoryCommandOutput,
} from '@aws-sdk/client-ec2';
import type { GetProductsCommandInput, GetProductsCommandOutput } from '@aws-sdk/client-pricing';

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
