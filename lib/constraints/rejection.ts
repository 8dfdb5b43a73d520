/** The phases that can refuse a placement, cheapest first; `by` in every plan and event. */
export type RejectionPhase =
  | 'eligibility'
  | 'unsupported'
  | 'volumes'
  | 'nodeClass'
  | 'taints'
  | 'requirements'
  | 'hostPorts'
  | 'resources'
  | 'topology'
  | 'instanceTypes'
  | 'offerings'
  | 'minValues'
  | 'limits'
  | 'reservations';

/**
 * Why something may not be, as a value: the phase that refused and a sentence for the person who
 * will read it in an event. `because` starts in lower case and has no full stop, so that it can
 * stand behind "Failed to schedule pod, ".
 */
export interface Rejection {
  readonly rejected: true;
  readonly by: RejectionPhase;
  readonly because: string;
}

/** A refusal by one phase. */
export const reject = (by: RejectionPhase, because: string): Rejection => ({
  rejected: true,
  by,
  because,
});

/** Whether `value` is a refusal rather than the thing asked for. */
export const isRejection = (value: unknown): value is Rejection =>
  typeof value === 'object' && value !== null && 'rejected' in value && value.rejected === true;
