import type { FoundImage } from '#lib/model/node-class-facts.ts';
import type { AmiAlias } from './ami-family.ts';

/** An SSM parameter that names an image, and what images it promises. */
export interface ImageParameter {
  readonly path: string;
  readonly variant: NonNullable<FoundImage['variant']>;
}

/** Neuron images are made for x86_64 only. */
const AL2023_LINES: readonly {
  readonly architecture: string;
  readonly variant: ImageParameter['variant'];
}[] = [
  { architecture: 'x86_64', variant: 'standard' },
  { architecture: 'x86_64', variant: 'nvidia' },
  { architecture: 'x86_64', variant: 'neuron' },
  { architecture: 'arm64', variant: 'standard' },
  { architecture: 'arm64', variant: 'nvidia' },
];

/**
 * The SSM parameters that an alias stands for, in one Kubernetes minor; none for a family that
 * cannot be launched yet.
 *
 * Source: EKS User Guide, Retrieve recommended AMI IDs; karpenter AWS provider v1.14,
 * providers/amifamily/al2023.go.
 */
export function imageParametersOf(
  { family, version }: AmiAlias,
  kubernetesVersion: string,
): readonly ImageParameter[] {
  if (family !== 'AL2023') return [];
  const root = `/aws/service/eks/optimized-ami/${kubernetesVersion}/amazon-linux-2023`;
  return AL2023_LINES.map(({ architecture, variant }) => {
    const release =
      version === 'latest'
        ? 'recommended'
        : `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetesVersion}-${version}`;
    return { path: `${root}/${architecture}/${variant}/${release}/image_id`, variant };
  });
}
