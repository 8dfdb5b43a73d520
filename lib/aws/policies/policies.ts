import { clusterPolicy, zonalShiftPolicy } from './cluster.ts';
import { discoveryPolicy } from './discovery.ts';
import { instanceProfilePolicy } from './instance-profiles.ts';
import { nodeLifecyclePolicy, templateUpkeepPolicy } from './node-lifecycle.ts';
import { busPolicy, hintPolicy } from './queues.ts';
import type { PolicyGroup } from './statement.ts';

/** The groups of permissions, by the name that their policy gets. */
export const POLICIES = {
  nodeLifecycle: nodeLifecyclePolicy,
  templateUpkeep: templateUpkeepPolicy,
  instanceProfiles: instanceProfilePolicy,
  cluster: clusterPolicy,
  zonalShift: zonalShiftPolicy,
  discovery: discoveryPolicy,
  hints: hintPolicy,
  bus: busPolicy,
} as const satisfies Readonly<Record<string, PolicyGroup>>;

/** One of the groups. */
export type PolicyName = keyof typeof POLICIES;

const LOOKING = ['cluster', 'zonalShift', 'discovery', 'hints', 'bus'] as const;
const NODE_CLASSES = ['instanceProfiles', 'templateUpkeep'] as const;

/**
 * Which function may do what. Only the two that move nodes launch and end them; `drift` keeps what
 * NodeClasses need in EC2 and IAM, `consolidate` looks, and `admit` sends hints and nothing else.
 */
export const POLICIES_OF = {
  provision: [...LOOKING, ...NODE_CLASSES, 'nodeLifecycle'],
  interrupt: [...LOOKING, ...NODE_CLASSES, 'nodeLifecycle'],
  drift: [...LOOKING, ...NODE_CLASSES],
  consolidate: LOOKING,
  admit: ['hints'],
} as const satisfies Readonly<Record<string, readonly PolicyName[]>>;
