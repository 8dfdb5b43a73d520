/**
 * The EC2 instance that a provider id names, or undefined where it names none.
 *
 * Example: aws:///us-east-1a/i-0123456789abcdef0 names i-0123456789abcdef0
 */
export function instanceIdOf(providerId: string | undefined): string | undefined {
  return /^aws:\/\/\/[^/]*\/(i-[0-9a-z]+)$/.exec(providerId ?? '')?.[1];
}

/** The zone that a provider id names; undefined where it is none of AWS's. */
export const zoneOf = (providerId: string | undefined): string | undefined =>
  /^aws:\/\/\/([^/]+)\/i-/.exec(providerId ?? '')?.[1];
