import type { Instance } from '#lib/model/instance.ts';
import { HOUR, NOON } from './objects.ts';

/** The running instance of the NodeClaim that aNodeClaim makes: an on-demand m5.large. */
export const anInstance = (difference: Partial<Instance> = {}): Instance => ({
  id: 'i-0123456789abcdef0',
  state: 'running',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  capacityType: 'on-demand',
  imageId: 'ami-1',
  launchedAt: NOON - HOUR,
  tags: {},
  ...difference,
});
