import type { EpochMs } from './time.ts';

/**
 * The only message that Joinery's own queue carries: look again. It holds no state, so a forged,
 * lost, doubled or late one costs at most one look.
 */
export interface Hint {
  readonly kind: 'look';
  /** When what it is about happens; a look that began later has seen it, and it is dropped. */
  readonly sentAt: EpochMs;
  /** For logs only: what made somebody send it. */
  readonly because: string;
}
