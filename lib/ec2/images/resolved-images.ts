import { compareText } from '#lib/constraints/order.ts';
import {
  ARCH,
  INSTANCE_ACCELERATOR_COUNT,
  INSTANCE_GPU_COUNT,
  OS,
  WINDOWS_BUILD,
} from '#lib/model/labels.ts';
import type { ResolvedAmi } from '#lib/model/node-class.ts';
import type { FoundImage, ImageVariant } from '#lib/model/node-class-facts.ts';
import type { EpochMs } from '#lib/model/time.ts';

type ImageRequirements = ResolvedAmi['requirements'];

/** What a type must have to boot an image of each variant, besides its architecture. */
const VARIANTS: Readonly<Record<ImageVariant, ImageRequirements>> = {
  standard: [
    { key: INSTANCE_GPU_COUNT, operator: 'DoesNotExist' },
    { key: INSTANCE_ACCELERATOR_COUNT, operator: 'DoesNotExist' },
  ],
  nvidia: [{ key: INSTANCE_GPU_COUNT, operator: 'Exists' }],
  neuron: [{ key: INSTANCE_ACCELERATOR_COUNT, operator: 'Exists' }],
  windows: [{ key: OS, operator: 'In', values: ['windows'] }],
};

/** An image for one kind of machine: several may share an image, as GPU and Neuron of AL2 do. */
interface Use {
  readonly image: FoundImage;
  readonly variant?: ImageVariant;
}

/**
 * The images of a NodeClass's status, newest first: of those that the same types could boot only
 * the best, where one that is not deprecated is better than one that is, and a newer one than an
 * older one; of equals the greater name, then the smaller id. Windows images ask for
 * `windowsBuild` besides.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/ami.go and types.go, AMIs.Sort.
 */
export function resolvedImages(
  found: readonly FoundImage[],
  now: EpochMs,
  windowsBuild?: string,
): readonly ResolvedAmi[] {
  const isDeprecated = ({ deprecatedAt }: FoundImage): boolean =>
    deprecatedAt !== undefined && deprecatedAt <= now;
  const best = new Map<string, Use>();
  const bestFirst = [...found].sort(
    (a, b) =>
      Number(isDeprecated(a)) - Number(isDeprecated(b)) ||
      b.createdAt - a.createdAt ||
      compareText(b.name, a.name) ||
      compareText(a.id, b.id),
  );
  for (const use of bestFirst.flatMap(usesOf)) {
    const machines = `${use.image.architecture} ${use.variant ?? ''}`;
    if (!best.has(machines)) best.set(machines, use);
  }
  return [...best.values()]
    .sort(
      (a, b) =>
        b.image.createdAt - a.image.createdAt ||
        compareText(a.image.id, b.image.id) ||
        compareText(a.variant ?? '', b.variant ?? ''),
    )
    .map((use) => ({
      id: use.image.id,
      name: use.image.name,
      deprecated: isDeprecated(use.image),
      requirements: requirementsOf(use, windowsBuild),
    }));
}

const usesOf = (image: FoundImage): readonly Use[] =>
  image.variants === undefined
    ? [{ image }]
    : image.variants.map((variant) => ({ image, variant }));

/** Sorted by the length of the key, then the key, as upstream publishes them. */
function requirementsOf({ image, variant }: Use, windowsBuild?: string): ImageRequirements {
  const arch = image.architecture === 'arm64' ? 'arm64' : 'amd64';
  const requirements: ImageRequirements = [
    { key: ARCH, operator: 'In', values: [arch] },
    ...(variant === undefined ? [] : VARIANTS[variant]),
    ...(variant === 'windows' && windowsBuild !== undefined
      ? [{ key: WINDOWS_BUILD, operator: 'In', values: [windowsBuild] } as const]
      : []),
  ];
  return [...requirements].sort((a, b) => a.key.length - b.key.length || compareText(a.key, b.key));
}
