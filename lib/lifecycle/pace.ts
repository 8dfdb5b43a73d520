/** Looks grow apart with the time in which nothing has moved: a fifth of it lies between two. */
const SHARE = 5;

/**
 * After how long to look again at something that has not moved for `stillMs`: `leastMs` at first,
 * then ever less often. Whoever plans looks leaves those that are a minute away to the heartbeat.
 */
export const paced = (leastMs: number, stillMs: number): number =>
  Math.max(leastMs, Math.ceil(stillMs / SHARE));

const LEAST_BETWEEN_LAUNCHES_MS = 2_000;
const MOST_BETWEEN_LAUNCHES_MS = 60_000;

/**
 * How long to wait after a launch that failed when the NodeClaim was `ageMs` old: as long again, so
 * that the distance doubles, up to a minute.
 *
 * Source: karpenter v1.14, nodeclaim/lifecycle/controller.go, which backs off from 1 s to 1 min.
 */
export const betweenLaunches = (ageMs: number): number =>
  Math.min(Math.max(ageMs, LEAST_BETWEEN_LAUNCHES_MS), MOST_BETWEEN_LAUNCHES_MS);
