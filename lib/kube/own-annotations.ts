/** On Joinery's Lease: when the next look is due, for which a hint is on its way. */
export const NEXT_LOOK = 'joinery.dev/next-look';
/** On Joinery's Lease: when the last look began. */
export const LAST_LOOK = 'joinery.dev/last-look';
/** On Joinery's Lease: when EC2 was last asked how instances are. */
export const STATUS_ASKED = 'joinery.dev/instance-status-asked';
/** On each of Joinery's own objects: how it is written. */
export const SCHEMA = 'joinery.dev/schema';
/** The schema that this version reads and writes; others are refused, never guessed at. */
export const SCHEMA_VALUE = '1';
