import type { DescribeImagesCommandInput, Filter, Image } from '@aws-sdk/client-ec2';
import type { AmiAlias } from '#lib/ec2/ami-family.ts';
import { imageParametersOf } from '#lib/ec2/image-parameters.ts';
import type { SelectorTerm } from '#lib/model/node-class.ts';
import type { FoundImage } from '#lib/model/node-class-facts.ts';
import type { AwsCall } from './call.ts';
import { awsErrorKind } from './errors.ts';
import { onceEach, tagFilters } from './network.ts';
import { everyPage } from './pages.ts';

/** What an alias is resolved against. */
export interface AliasContext {
  readonly alias: AmiAlias | undefined;
  readonly kubernetesVersion: string;
}

type Variant = NonNullable<FoundImage['variant']>;
type Query = Pick<DescribeImagesCommandInput, 'Filters' | 'Owners'>;

/** Where a term names no owner: one's own images and Amazon's. Anybody may use any name. */
const TRUSTED_OWNERS = ['self', 'amazon'];

/**
 * The available images that any of these terms selects, once each, sorted by id. A parameter that
 * does not exist selects nothing; any other failure is thrown, or a variant would seem to be gone.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/ami.go.
 */
export async function findImages(
  call: AwsCall,
  terms: readonly SelectorTerm[],
  { alias, kubernetesVersion }: AliasContext,
): Promise<readonly FoundImage[]> {
  const variants =
    alias === undefined ? new Map() : await aliasImages(call, alias, kubernetesVersion);
  const queries = await queriesOf(call, terms, [...variants.keys()]);
  const answers = await Promise.all(queries.map((query) => describeImages(call, query)));
  return onceEach(answers.flat().flatMap((image) => foundImage(image, variants)));
}

/** The images behind an alias, with what each one is made for. */
async function aliasImages(
  call: AwsCall,
  alias: AmiAlias,
  kubernetesVersion: string,
): Promise<ReadonlyMap<string, Variant>> {
  const parameters = imageParametersOf(alias, kubernetesVersion);
  const ids = await Promise.all(parameters.map(({ path }) => parameterValue(call, path)));
  const variants = new Map<string, Variant>();
  parameters.forEach(({ variant }, index) => {
    const id = ids[index];
    if (id !== undefined) variants.set(id, variant);
  });
  return variants;
}

/** An image id that a parameter holds; undefined where it does not exist or holds none. */
async function parameterValue(call: AwsCall, name: string): Promise<string | undefined> {
  try {
    const { Parameter } = await call('GetParameter', { Name: name });
    return Parameter?.Value?.startsWith('ami-') ? Parameter.Value : undefined;
  } catch (error) {
    if (awsErrorKind(error) === 'notFound') return undefined;
    throw error;
  }
}

async function queriesOf(
  call: AwsCall,
  terms: readonly SelectorTerm[],
  aliasIds: readonly string[],
): Promise<readonly Query[]> {
  const named = await Promise.all(
    terms.map(({ ssmParameter }) =>
      ssmParameter === undefined ? undefined : parameterValue(call, ssmParameter),
    ),
  );
  const ids = [
    ...aliasIds,
    ...terms.flatMap(({ id }) => id ?? []),
    ...named.flatMap((id) => id ?? []),
  ];
  const searches = terms
    .filter(({ name, tags }) => name !== undefined || tags !== undefined)
    .map(searchOf);
  return ids.length === 0
    ? searches
    : [{ Filters: [{ Name: 'image-id', Values: ids }] }, ...searches];
}

function searchOf({ name, tags, owner }: SelectorTerm): Query {
  const Filters: Filter[] = [
    ...(name === undefined ? [] : [{ Name: 'name', Values: [name] }]),
    ...tagFilters(tags ?? {}),
  ];
  if (owner !== undefined) return { Filters, Owners: [owner] };
  return name === undefined ? { Filters } : { Filters, Owners: TRUSTED_OWNERS };
}

const describeImages = (
  call: AwsCall,
  { Filters = [], Owners }: Query,
): Promise<readonly Image[]> =>
  everyPage(
    (page) =>
      call('DescribeImages', {
        Filters: [...Filters, { Name: 'state', Values: ['available'] }],
        ...(Owners === undefined ? {} : { Owners }),
        IncludeDeprecated: true,
        ...page,
      }),
    ({ Images }) => Images ?? [],
  );

function foundImage(image: Image, variants: ReadonlyMap<string, Variant>): readonly FoundImage[] {
  const { ImageId: id = '', Name: name = '', Architecture: architecture } = image;
  if (architecture !== 'x86_64' && architecture !== 'arm64') return [];
  const variant = variants.get(id);
  const { DeprecationTime: deprecation } = image;
  return [
    {
      id,
      name,
      architecture,
      createdAt: Date.parse(image.CreationDate ?? '') || 0,
      ...(deprecation === undefined ? {} : { deprecatedAt: Date.parse(deprecation) }),
      ...(variant === undefined ? {} : { variant }),
    },
  ];
}
