import { compareText } from '#lib/constraints/order.ts';
import { ARCH, INSTANCE_ACCELERATOR_COUNT, INSTANCE_GPU_COUNT } from '#lib/model/labels.ts';
import type { ResolvedAmi } from '#lib/model/node-class.ts';
import type { FoundImage } from '#lib/model/node-class-facts.ts';
import type { EpochMs } from '#lib/model/time.ts';

type ImageRequirements = ResolvedAmi['requirements'];

/** What a type must have to boot an image of each variant, besides its architecture. */
const VARIANTS: Readonly<Record<NonNullable<FoundImage['variant']>, ImageRequirements>> = {
  standard: [
    { key: INSTANCE_GPU_COUNT, operator: 'DoesNotExist' },
    { key: INSTANCE_ACCELERATOR_COUNT, operator: 'DoesNotExist' },
  ],
  nvidia: [{ key: INSTANCE_GPU_COUNT, operator: 'Exists' }],
  neuron: [{ key: INSTANCE_ACCELERATOR_COUNT, operator: 'Exists' }],
};

/**
 * The images of a NodeClass's status, newest first: of those that the same types could boot only
 * the best, where one that is not deprecated is better than one that is, and a newer one than an
 * older one.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/ami.go and types.go, AMIs.Sort.
 */
export function resolvedImages(found: readonly FoundImage[], now: EpochMs): readonly ResolvedAmi[] {
  const isDeprecated = ({ deprecatedAt }: FoundImage): boolean =>
    deprecatedAt !== undefined && deprecatedAt <= now;
  const best = new Map<string, FoundImage>();
  const bestFirst = [...found].sort(
    (a, b) =>
      Number(isDeprecated(a)) - Number(isDeprecated(b)) ||
      b.createdAt - a.createdAt ||
      compareText(b.name, a.name) ||
      compareText(a.id, b.id),
  );
  for (const image of bestFirst) {
    const use = `${image.architecture} ${image.variant ?? ''}`;
    if (!best.has(use)) best.set(use, image);
  }
  return [...best.values()]
    .sort((a, b) => b.createdAt - a.createdAt || compareText(a.id, b.id))
    .map((image) => ({
      id: image.id,
      name: image.name,
      deprecated: isDeprecated(image),
      requirements: requirementsOf(image),
    }));
}

/** Sorted by the length of the key, then the key, as upstream publishes them. */
function requirementsOf({ architecture, variant }: FoundImage): ImageRequirements {
  const arch = architecture === 'arm64' ? 'arm64' : 'amd64';
  const requirements: ImageRequirements = [
    { key: ARCH, operator: 'In', values: [arch] },
    ...(variant === undefined ? [] : VARIANTS[variant]),
  ];
  return [...requirements].sort((a, b) => a.key.length - b.key.length || compareText(a.key, b.key));
}
