import { describe, expect, it } from 'vitest';
import { sdkCall } from '#lib/aws/calls/sdk-call.ts';
import { PERMISSIONS } from '#lib/aws/permissions.ts';

describe('PERMISSIONS', () => {
  it.each(Object.entries(PERMISSIONS))('grants what %s is called', (operation, actions) => {
    expect(actions.map((action) => action.split(':')[1])).toContain(operation);
  });

  it('knows the operations that the SDK is called for, and no others', async () => {
    const call = sdkCall({ region: 'us-east-1' });

    await expect(call('DeleteVpc', {})).rejects.toThrow('expected an AWS operation of the list');
    expect(Object.keys(PERMISSIONS)).toEqual(Object.keys(PERMISSIONS).toSorted());
  });
});
