import type { NodeOverlay } from '#lib/model/node-overlay.ts';
import { aMeta, type Difference } from './objects.ts';

/** The NodeOverlay `overlay` about every type, which says nothing of it. */
export function aNodeOverlay(difference: Difference<NodeOverlay> = {}): NodeOverlay {
  const { meta, ...rest } = difference;
  return {
    meta: aMeta('overlay', meta),
    requirements: [],
    capacity: {},
    weight: 0,
    status: { conditions: [] },
    ...rest,
  };
}
