import type { Resources } from '#lib/constraints/resources.ts';
import type { NodeOverlay } from '#lib/model/node-overlay.ts';
import { decodeConditions, decodeMeta } from './decode-meta.ts';
import { decodeRequirement } from './decode-scheduling.ts';
import { grouped, list, optional, present, required, wire, withDefault } from './field.ts';
import { amounts, integer, text } from './scalar.ts';

const NONE: Resources = Object.freeze({});

/** A NodeOverlay. Prices stay text: their arithmetic is exact. Throws DecodeError. */
export function decodeNodeOverlay(value: unknown): NodeOverlay {
  const body = wire(value);
  const meta = decodeMeta(body);
  return {
    meta,
    ...required(body, 'spec', (found) => {
      const spec = wire(found);
      return {
        requirements: list(spec, 'requirements', decodeRequirement),
        capacity: withDefault(spec, 'capacity', NONE, amounts),
        weight: withDefault(spec, 'weight', 0, integer),
        ...present({
          price: optional(spec, 'price', text),
          priceAdjustment: optional(spec, 'priceAdjustment', text),
        }),
      };
    }),
    status: grouped(body, 'status', (status) => ({
      conditions: decodeConditions(status, meta.createdAt),
    })),
  };
}
