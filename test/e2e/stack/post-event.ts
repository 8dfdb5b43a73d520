import { request } from 'node:https';
import type { RealWorld } from './real-world.ts';

/** Brings an event of EventBridge, or whatever text, to Joinery's door; gives the status of the answer. */
export function postEvent({ plane, joinery }: RealWorld, event: object | string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', ca: plane.certificateAuthority };
    const posted = request(`${joinery().url()}/events`, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    posted.on('error', reject);
    posted.end(typeof event === 'string' ? event : JSON.stringify(event));
  });
}
