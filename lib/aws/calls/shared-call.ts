import type { AwsCall } from './call.ts';

/**
 * The call, with equal requests asked once: NodeClasses often select the same network and images.
 * For questions of one look only, since an answer is kept as long as the returned call is.
 */
export function sharedCall(call: AwsCall): AwsCall {
  const asked = new Map<string, Promise<unknown>>();
  return ((name, input) => {
    const key = JSON.stringify([name, input]);
    const known = asked.get(key);
    if (known !== undefined) return known;
    const answer = call(name, input);
    asked.set(key, answer);
    return answer;
  }) as AwsCall;
}
