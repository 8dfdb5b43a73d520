import type { CreateFleetCommandInput, CreateFleetCommandOutput } from '@aws-sdk/client-ec2';

/** Each AWS operation that Joinery uses, with the SDK's own types of what goes in and comes out. */
export interface AwsOperations {
  readonly CreateFleet: { input: CreateFleetCommandInput; output: CreateFleetCommandOutput };
}

/** The second of the two seams, untyped: what the SDK and the embedded world both can do. */
export type RawAwsCall = (name: string, input: unknown) => Promise<unknown>;

/** The second of the two seams: all that Joinery says to AWS passes through here. */
export type AwsCall = <Name extends keyof AwsOperations>(
  name: Name,
  input: AwsOperations[Name]['input'],
) => Promise<AwsOperations[Name]['output']>;
