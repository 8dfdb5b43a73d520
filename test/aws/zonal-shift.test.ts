import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { sdkCall } from '#lib/aws/calls/sdk-call.ts';
import { findManagedResource } from '#lib/aws/zonal-shift.ts';
import { shiftedZonesOf } from '#lib/ec2/offerings/zonal-shift.ts';
import { readShiftedZones } from '#lib/observe/shifted-zones.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';

const ARN = 'arn:aws:eks:us-east-1:111122223333:cluster/shop';
const none = { zonalShifts: [], autoshifts: [] };
const shift = (zoneId: string, difference = {}) => ({ zoneId, isApplied: true, ...difference });

describe('shiftedZonesOf', () => {
  it('knows the zones of shifts that are applied and have not ended', () => {
    const zonalShifts = [
      shift('use1-az2', { endsAt: NOON + 1 }),
      shift('use1-az1', { endsAt: NOON + 1 }),
      shift('use1-az3', { endsAt: NOON }),
      shift('use1-az4', { isApplied: false }),
    ];

    expect(shiftedZonesOf({ ...none, zonalShifts }, NOON)).toEqual(['use1-az1', 'use1-az2']);
  });

  it('knows the shifts that AWS began by itself, too', () => {
    const autoshifts = [shift('use1-az1'), shift('use1-az1')];

    expect(shiftedZonesOf({ ...none, autoshifts }, NOON)).toEqual(['use1-az1']);
  });
});

describe('GetManagedResource', () => {
  const servers: Server[] = [];
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    for (const server of servers.splice(0)) server.close();
  });

  /** A call to a server that gives this answer, and what the server heard. */
  async function arc(status: number, body: object, headers = {}) {
    const heard: { url: string | undefined; authorization: string | undefined }[] = [];
    const server = createServer((request, answer) => {
      heard.push({ url: request.url, authorization: request.headers.authorization });
      answer.writeHead(status, headers).end(JSON.stringify(body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const place = { region: 'us-east-1', endpoint: `http://127.0.0.1:${port}` };
    return { call: typedCall(sdkCall(place)), heard };
  }

  it('is asked about the cluster, signed for its service', async () => {
    const { call, heard } = await arc(200, {
      zonalShifts: [{ appliedStatus: 'APPLIED', awayFrom: 'use1-az1', expiryTime: NOON / 1_000 }],
      autoshifts: [{ appliedStatus: 'NOT_APPLIED', awayFrom: 'use1-az2' }],
    });

    expect(await findManagedResource(call, ARN)).toEqual({
      zonalShifts: [{ zoneId: 'use1-az1', isApplied: true, endsAt: NOON }],
      autoshifts: [{ zoneId: 'use1-az2', isApplied: false }],
    });
    expect(heard[0]?.url).toBe(`/managedresources/${encodeURIComponent(ARN)}`);
    expect(heard[0]?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/arc-zonal-shift\/aws4_request/,
    );
  });

  it('is refused with the name that AWS gives the refusal', async () => {
    const { call } = await arc(
      403,
      { message: 'not yours' },
      { 'x-amzn-errortype': 'AccessDeniedException:http://internal' },
    );

    await expect(findManagedResource(call, ARN)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: 'not yours (GetManagedResource needs arc-zonal-shift:GetManagedResource)',
    });
  });
});

describe('readShiftedZones', () => {
  /** ARC that shifts use1-az1 out until it fails, and how often it was asked. */
  function anArc() {
    let asked = 0;
    let fails = false;
    const call = typedCall(async () => {
      asked += 1;
      if (fails) throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
      const expiryTime = (NOON + 10 * MINUTE) / 1_000;
      return { zonalShifts: [{ appliedStatus: 'APPLIED', awayFrom: 'use1-az1', expiryTime }] };
    });
    const read = (now: number, settings: { zonalShiftArn?: string } = { zonalShiftArn: ARN }) =>
      readShiftedZones(call, settings, now);
    return {
      read,
      asked: () => asked,
      fail: () => {
        fails = true;
      },
    };
  }

  it('asks only where the cluster takes part', async () => {
    const { read, asked } = anArc();

    expect(await read(NOON, {})).toEqual({ zoneIds: [], leftOut: [] });
    expect(asked()).toBe(0);
  });

  it('asks every half minute', async () => {
    const { read, asked } = anArc();
    await read(NOON);

    expect(await read(NOON + 29 * SECOND)).toMatchObject({ zoneIds: ['use1-az1'] });
    expect(asked()).toBe(1);
    await read(NOON + 30 * SECOND);
    expect(asked()).toBe(2);
  });

  it('goes on with what it was told before, as long as that holds, and says so', async () => {
    const { read, fail } = anArc();
    await read(NOON);
    fail();

    expect(await read(NOON + MINUTE)).toMatchObject({
      zoneIds: ['use1-az1'],
      leftOut: [{ field: 'GetManagedResource', problem: 'ThrottlingException: slow down' }],
    });
    expect(await read(NOON + 10 * MINUTE)).toMatchObject({ zoneIds: [] });
  });
});
