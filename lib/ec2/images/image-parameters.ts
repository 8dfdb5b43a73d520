import type { ImageVariant } from '#lib/model/node-class-facts.ts';
import type { AmiAlias } from './ami-family.ts';

/** An SSM parameter that names an image, and what kinds of machine that image is for. */
export interface ImageParameter {
  readonly path: string;
  readonly variants: readonly ImageVariant[];
}

/** Asks for an alias's parameters in one Kubernetes minor, e.g. 1.33. */
type Parameters = (version: string, kubernetesVersion: string) => readonly ImageParameter[];

const EKS = '/aws/service/eks/optimized-ami';

/** Neuron images are made for x86_64 only. Source: providers/amifamily/al2023.go. */
const al2023: Parameters = (version, kubernetes) =>
  (
    [
      ['x86_64', 'standard'],
      ['x86_64', 'nvidia'],
      ['x86_64', 'neuron'],
      ['arm64', 'standard'],
      ['arm64', 'nvidia'],
    ] as const
  ).map(([architecture, variant]) => {
    const release =
      version === 'latest'
        ? 'recommended'
        : `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetes}-${version}`;
    const line = `${EKS}/${kubernetes}/amazon-linux-2023/${architecture}/${variant}`;
    return { path: `${line}/${release}/image_id`, variants: [variant] };
  });

/** One image serves GPUs and Neuron alike. Source: providers/amifamily/al2.go. */
const al2: Parameters = (version, kubernetes) =>
  (
    [
      ['amazon-linux-2', 'node', ['standard']],
      ['amazon-linux-2-arm64', 'arm64-node', ['standard']],
      ['amazon-linux-2-gpu', 'gpu-node', ['neuron', 'nvidia']],
    ] as const
  ).map(([line, name, variants]) => {
    const release =
      version === 'latest' ? 'recommended' : `amazon-eks-${name}-${kubernetes}-${version}`;
    return { path: `${EKS}/${kubernetes}/${line}/${release}/image_id`, variants };
  });

/** Versions are published without the v that aliases may carry. Source: bottlerocket.go. */
const bottlerocket: Parameters = (version, kubernetes) =>
  (
    [
      ['', 'x86_64', ['standard', 'neuron']],
      ['', 'arm64', ['standard']],
      ['-nvidia', 'x86_64', ['nvidia']],
      ['-nvidia', 'arm64', ['nvidia']],
    ] as const
  ).map(([flavour, architecture, variants]) => {
    const line = `/aws/service/bottlerocket/aws-k8s-${kubernetes}${flavour}/${architecture}`;
    return { path: `${line}/${version.replace(/^v/, '')}/image_id`, variants };
  });

/** The newest image only: Windows aliases have no other version. Source: windows.go. */
const windows =
  (year: string): Parameters =>
  (_version, kubernetes) => {
    const name = `Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}`;
    return [{ path: `/aws/service/ami-windows-latest/${name}/image_id`, variants: ['windows'] }];
  };

const FAMILIES: Readonly<Record<AmiAlias['family'], Parameters>> = {
  AL2023: al2023,
  AL2: al2,
  Bottlerocket: bottlerocket,
  Windows2019: windows('2019'),
  Windows2022: windows('2022'),
  Windows2025: windows('2025'),
  Custom: () => [],
};

/**
 * The SSM parameters that an alias stands for, in one Kubernetes minor.
 *
 * Example: bottlerocket@v1.46.0 in 1.33 is
 * /aws/service/bottlerocket/aws-k8s-1.33/x86_64/1.46.0/image_id and three more.
 * Source: EKS User Guide, Retrieve recommended AMI IDs; karpenter AWS provider v1.14,
 * providers/amifamily.
 */
export const imageParametersOf = (
  { family, version }: AmiAlias,
  kubernetesVersion: string,
): readonly ImageParameter[] => FAMILIES[family](version, kubernetesVersion);

/** The first minor without AL2 images, and the first with those of Windows 2025. */
const AL2_ENDS = 33;
const WINDOWS_2025_BEGINS = 35;

/**
 * Why an alias has no images in a Kubernetes minor, as the end of a sentence; undefined where it
 * may have some.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/ami.go.
 */
export function aliasProblem({ family }: AmiAlias, kubernetesVersion: string): string | undefined {
  const minor = Number(kubernetesVersion.split('.')[1]);
  if (family === 'AL2' && minor >= AL2_ENDS) {
    return `AL2 images end with Kubernetes 1.${AL2_ENDS - 1}, this cluster runs ${kubernetesVersion}`;
  }
  if (family === 'Windows2025' && minor < WINDOWS_2025_BEGINS) {
    return `Windows2025 images begin with Kubernetes 1.${WINDOWS_2025_BEGINS}, this cluster runs ${kubernetesVersion}`;
  }
  return undefined;
}
