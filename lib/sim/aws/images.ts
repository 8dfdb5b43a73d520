import { createHash } from 'node:crypto';
import type { Instant } from '../clock.ts';
import type { Account, Image, Operations } from './account.ts';
import { describeById, describePage } from './describe.ts';
import { awsError } from './error.ts';
import { describeTags, type Fields, optionalTexts, text } from './request.ts';

const DAY_MS = 86_400_000;
/** Amazon deprecates an image of its own two years after it was made. Source: EC2 User Guide. */
const SUPPORTED_MS = 730 * DAY_MS;

interface Release {
  readonly kubernetesVersion: string;
  /** 20261105. */
  readonly day: string;
  readonly createdAt: Instant;
}

/** Where a family keeps its images: SSM paths without version, and the image's own name. */
interface Line {
  readonly architecture: 'x86_64' | 'arm64';
  readonly path: (release: Release, version: 'latest' | 'dated') => string;
  readonly name: (release: Release) => string;
}

const SSM = '/aws/service';

const al2023 = (architecture: 'x86_64' | 'arm64', variant: string): Line => {
  const name = (release: Release): string =>
    `amazon-eks-node-al2023-${architecture}-${variant}-${release.kubernetesVersion}-v${release.day}`;
  return {
    architecture,
    name,
    path: (release, version) =>
      `${SSM}/eks/optimized-ami/${release.kubernetesVersion}/amazon-linux-2023/${architecture}/${variant}/${
        version === 'latest' ? 'recommended' : name(release)
      }/image_id`,
  };
};

const bottlerocket = (architecture: 'x86_64' | 'arm64', flavour: string): Line => ({
  architecture,
  name: (release) =>
    `bottlerocket-aws-k8s-${release.kubernetesVersion}${flavour}-${architecture}-v1.${release.day.slice(2, 6)}.0`,
  path: (release, version) =>
    `${SSM}/bottlerocket/aws-k8s-${release.kubernetesVersion}${flavour}/${architecture}/${
      version === 'latest' ? 'latest' : `1.${release.day.slice(2, 6)}.0`
    }/image_id`,
});

const LINES: readonly Line[] = [
  al2023('x86_64', 'standard'),
  al2023('arm64', 'standard'),
  al2023('x86_64', 'nvidia'),
  al2023('arm64', 'nvidia'),
  al2023('x86_64', 'neuron'),
  bottlerocket('x86_64', ''),
  bottlerocket('arm64', ''),
  bottlerocket('x86_64', '-nvidia'),
  bottlerocket('arm64', '-nvidia'),
];

/**
 * The EKS-optimized images of one Kubernetes minor as Amazon published them on the days that
 * `createdAt` names, oldest first; the newest is what the `recommended` and `latest` parameters
 * name. Amazon Linux 2023 and Bottlerocket; Amazon Linux 2 and Windows are not published here.
 *
 * Source: EKS User Guide, Retrieve recommended AMI IDs; Bottlerocket, QUICKSTART-EKS.md.
 */
export function amazonImages(
  kubernetesVersion: string,
  createdAt: readonly Instant[],
): readonly Image[] {
  const releases = [...createdAt]
    .sort((a, b) => a - b)
    .map((at) => ({ kubernetesVersion, createdAt: at, day: dayOf(at) }));
  return releases.flatMap((release, index) =>
    LINES.map((line) => imageOf(line, release, index === releases.length - 1)),
  );
}

function imageOf(line: Line, release: Release, newest: boolean): Image {
  const name = line.name(release);
  return {
    id: `ami-0${createHash('sha256').update(name).digest('hex').slice(0, 16)}`,
    name,
    architecture: line.architecture,
    createdAt: release.createdAt,
    deprecatedAt: release.createdAt + SUPPORTED_MS,
    owner: 'amazon',
    tags: {},
    parameters: newest
      ? [line.path(release, 'latest'), line.path(release, 'dated')]
      : [line.path(release, 'dated')],
  };
}

const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');

/**
 * DescribeImages, and SSM's GetParameter(s) for the parameters that name images. Two images may
 * claim one parameter (a new release does); the one made last has it.
 */
export function imageOperations(account: Account): Operations {
  return {
    DescribeImages: (input) => describeImages(account, input),
    GetParameter: (input) => getParameter(account, input),
    GetParameters: (input) => getParameters(account, input),
  };
}

function describeImages(account: Account, input: Fields): unknown {
  const ids = optionalTexts(input, 'ImageIds');
  const owners = optionalTexts(input, 'Owners');
  const now = account.clock.now();
  const named = ids
    ? describeById(
        account.images,
        ids,
        ({ id }) => id,
        (missing) =>
          awsError(
            'InvalidAMIID.NotFound',
            `The image id '[${missing.join(', ')}]' does not exist`,
          ),
      )
    : account.images;
  const images = named.filter(
    (image) =>
      (!owners ||
        owners.some((owner) => owner === image.owner || owner === ownerId(account, image))) &&
      (input.IncludeDeprecated === true || ids !== undefined || image.deprecatedAt > now),
  );
  const { items, ...rest } = describePage(images, input, (image) => ({
    values: {
      'image-id': [image.id],
      name: [image.name],
      architecture: [image.architecture],
      state: ['available'],
      'owner-id': [ownerId(account, image)],
      'owner-alias': image.owner === 'amazon' ? ['amazon'] : [],
      'is-public': [String(image.owner === 'amazon')],
      'virtualization-type': ['hvm'],
    },
    tags: image.tags,
  }));
  return { ...rest, Images: items.map((image) => describeImage(account, image)) };
}

const describeImage = (account: Account, image: Image): unknown => ({
  Architecture: image.architecture,
  CreationDate: new Date(image.createdAt).toISOString(),
  DeprecationTime: new Date(image.deprecatedAt).toISOString(),
  ImageId: image.id,
  ...(image.owner === 'amazon' ? { ImageOwnerAlias: 'amazon' } : {}),
  ImageType: 'machine',
  Name: image.name,
  OwnerId: ownerId(account, image),
  Public: image.owner === 'amazon',
  RootDeviceName: '/dev/xvda',
  RootDeviceType: 'ebs',
  State: 'available',
  Tags: describeTags(image.tags),
  VirtualizationType: 'hvm',
});

const AMAZON_ACCOUNT = '602401143452';
const ownerId = (account: Account, image: Image): string =>
  image.owner === 'amazon' ? AMAZON_ACCOUNT : account.id;

function getParameter(account: Account, input: Fields): unknown {
  const name = text(input, 'Name');
  const parameter = parameterNamed(account, name);
  if (parameter === undefined) throw awsError('ParameterNotFound', `Parameter ${name} not found.`);
  return { Parameter: parameter };
}

/** Unknown names are no failure here: they are listed. Source: SSM API, GetParameters. */
function getParameters(account: Account, input: Fields): unknown {
  const names = optionalTexts(input, 'Names') ?? [];
  if (names.length === 0 || names.length > 10) {
    throw awsError('ValidationException', 'Names must have from 1 to 10 members.');
  }
  const found = names.map((name) => parameterNamed(account, name));
  return {
    Parameters: found.filter((parameter) => parameter !== undefined),
    InvalidParameters: names.filter((_name, index) => found[index] === undefined),
  };
}

function parameterNamed(account: Account, name: string): Fields | undefined {
  const [image] = account.images
    .filter(({ parameters }) => parameters.includes(name))
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
  return (
    image && {
      ARN: `arn:aws:ssm:${account.region}::parameter${name}`,
      DataType: 'text',
      LastModifiedDate: new Date(image.createdAt),
      Name: name,
      Type: 'String',
      Value: image.id,
      Version: 1,
    }
  );
}
