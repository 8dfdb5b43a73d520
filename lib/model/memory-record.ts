import type { EpochMs } from './time.ts';

/** How much memory a node of a type with certain images had, as its kubelet told it. */
export interface MemoryRecord {
  readonly instanceType: string;
  /** A digest of the images; other images may leave a node more, or less. */
  readonly images: string;
  /** The least that a node told. */
  readonly bytes: number;
  /** When one told it last, to about a week. */
  readonly seenAt: EpochMs;
}
