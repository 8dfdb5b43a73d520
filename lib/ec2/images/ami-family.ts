import type { BlockDeviceMapping, NodeClass } from '#lib/model/node-class.ts';

/** The name of an image family, as amiFamily says it. */
type AmiFamilyName =
  | 'AL2'
  | 'AL2023'
  | 'Bottlerocket'
  | 'Windows2019'
  | 'Windows2022'
  | 'Windows2025'
  | 'Custom';

/** How images of one family differ where capacity, disks and start-up are concerned. */
export interface AmiFamily {
  readonly name: AmiFamilyName;
  /** The disk that pods write to; absent where the image alone knows. */
  readonly ephemeralDevice?: string;
  /** Disks where the NodeClass lists none. */
  readonly defaultDisks: readonly BlockDeviceMapping[];
  /** Bytes that pods may write to where no disk says otherwise. */
  readonly defaultStorage: string;
  /** What kubelet's own reserve is computed from: the network's limit, or the pod limit in force. */
  readonly reservesFor: 'network' | 'podLimit';
  readonly podsPerCoreCounts: boolean;
  /** Whether pods take addresses of the interfaces, so that these limit them. */
  readonly interfacesLimitPods: boolean;
  readonly windowsBuild?: string;
}

const disk = (deviceName: string, volumeSize: string): BlockDeviceMapping => ({
  deviceName,
  ebs: { volumeSize, volumeType: 'gp3', encrypted: true },
});

const LINUX = {
  ephemeralDevice: '/dev/xvda',
  defaultDisks: [disk('/dev/xvda', '20Gi')],
  defaultStorage: '20Gi',
  reservesFor: 'network',
  podsPerCoreCounts: true,
  interfacesLimitPods: true,
} as const;

const WINDOWS = {
  ephemeralDevice: '/dev/sda1',
  defaultDisks: [disk('/dev/sda1', '50Gi')],
  defaultStorage: '50Gi',
  reservesFor: 'podLimit',
  podsPerCoreCounts: true,
  interfacesLimitPods: false,
} as const;

/** Source: karpenter AWS provider v1.14, providers/amifamily. */
const FAMILIES: Readonly<Record<AmiFamilyName, AmiFamily>> = {
  AL2: { name: 'AL2', ...LINUX },
  AL2023: { name: 'AL2023', ...LINUX },
  Bottlerocket: {
    name: 'Bottlerocket',
    ephemeralDevice: '/dev/xvdb',
    defaultDisks: [disk('/dev/xvda', '4Gi'), disk('/dev/xvdb', '20Gi')],
    defaultStorage: '20Gi',
    reservesFor: 'podLimit',
    podsPerCoreCounts: false,
    interfacesLimitPods: true,
  },
  Windows2019: { name: 'Windows2019', ...WINDOWS, windowsBuild: '10.0.17763' },
  Windows2022: { name: 'Windows2022', ...WINDOWS, windowsBuild: '10.0.20348' },
  Windows2025: { name: 'Windows2025', ...WINDOWS, windowsBuild: '10.0.26100' },
  Custom: {
    name: 'Custom',
    defaultDisks: [],
    defaultStorage: '20Gi',
    reservesFor: 'network',
    podsPerCoreCounts: true,
    interfacesLimitPods: true,
  },
};

const BY_ALIAS: ReadonlyMap<string, AmiFamilyName> = new Map([
  ['al2', 'AL2'],
  ['al2023', 'AL2023'],
  ['bottlerocket', 'Bottlerocket'],
  ['windows2019', 'Windows2019'],
  ['windows2022', 'Windows2022'],
  ['windows2025', 'Windows2025'],
]);

/** The family part and the version part of an alias such as al2023@latest. */
export interface AmiAlias {
  readonly family: AmiFamilyName;
  readonly version: string;
}

/** The alias of a NodeClass, where it has one that names a known family. */
export function aliasOf({ spec }: Pick<NodeClass, 'spec'>): AmiAlias | undefined {
  for (const { alias } of spec.amiSelectorTerms) {
    const [name = '', version = ''] = (alias ?? '').split('@');
    const family = BY_ALIAS.get(name);
    if (family !== undefined && version !== '') return { family, version };
  }
  return undefined;
}

/**
 * The image family of a NodeClass: what amiFamily says, else what its alias names, else Custom.
 *
 * Source: karpenter AWS provider v1.14, apis/v1/ec2nodeclass.go, AMIFamily.
 */
export function amiFamilyOf(nodeClass: Pick<NodeClass, 'spec'>): AmiFamily {
  const named = Object.values(FAMILIES).find(({ name }) => name === nodeClass.spec.amiFamily);
  return named ?? FAMILIES[aliasOf(nodeClass)?.family ?? 'Custom'];
}
