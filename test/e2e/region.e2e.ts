import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createAccessEntry, findAccessEntries } from '#lib/aws/access-entries.ts';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { describeCluster } from '#lib/aws/cluster.ts';
import { listAilingInstances } from '#lib/aws/instance-status.ts';
import { findOnDemandPrices, findSpotPrices } from '#lib/aws/prices.ts';
import { findSoldTypes } from '#lib/aws/sold-types.ts';
import { aCall, prepareAccount, REGION, tell } from './account.ts';

let call: AwsCall;

beforeAll(async () => {
  await tell({ soldOut: [], faults: [] });
  await prepareAccount();
  // The emulator takes its time for a thousand types.
  call = aCall(30_000);
});

describe('what a region sells', () => {
  it('is read in full: types, zones, and which is sold where', async () => {
    const { types, zones } = await findSoldTypes(call);

    expect(types.length).toBeGreaterThan(500);
    expect(zones.map(({ name }) => name)).toContain('us-east-1a');
    expect(types.find(({ name }) => name === 'm5.large')).toMatchObject({
      vcpus: 2,
      memoryMib: 8192,
      ipv4PerInterface: 10,
    });
  });

  it('has prices, on demand and spot', async () => {
    const onDemand = await findOnDemandPrices(call, REGION, []);
    const spot = await findSpotPrices(call, Date.now());

    expect(JSON.stringify(onDemand, mapsToo)).toContain('0.085');
    expect(JSON.stringify(spot, mapsToo)).toContain('us-east-1a');
  });
});

/** Maps as JSON has them. */
const mapsToo = (_key: string, value: unknown): unknown =>
  value instanceof Map ? Object.fromEntries(value) : value;

describe('a cluster', () => {
  it('tells how it is joined, and lets a role in once', async () => {
    await new EKSClient({ region: REGION, endpoint: inject('endpoint') }).send(
      new CreateClusterCommand({
        name: 'demo',
        version: '1.33',
        roleArn: 'arn:aws:iam::123456789012:role/cluster',
        resourcesVpcConfig: {},
      }),
    );
    const cluster = await describeCluster(call, 'demo');
    const entry = {
      principalArn: 'arn:aws:iam::123456789012:role/node-role',
      type: 'EC2_LINUX',
      kubernetesGroups: [],
    } as const;

    expect(cluster).toMatchObject({ name: 'demo', endpoint: expect.stringMatching(/^https:/) });
    expect(await findAccessEntries(call, 'demo', [entry.principalArn])).toEqual(new Map());
    await createAccessEntry(call, 'demo', entry);
    expect([...(await findAccessEntries(call, 'demo', [entry.principalArn])).keys()]).toEqual([
      entry.principalArn,
    ]);
  });
});

it('instances are asked after in words that EC2 understands', async () => {
  expect(await listAilingInstances(call)).toEqual([]);
});
