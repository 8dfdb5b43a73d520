import type { DescribeImagesCommandInput, Filter, Image } from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { AmiAlias } from '#lib/ec2/images/ami-family.ts';
import { imageParametersOf } from '#lib/ec2/images/image-parameters.ts';
import type { SelectorTerm } from '#lib/model/node-class.ts';
import type { FoundImage, ImageVariant } from '#lib/model/node-class-facts.ts';
import { onceEach, tagFilters } from './network.ts';
import { everyPage } from './pages.ts';

/** What an alias is resolved against. */
export interface AliasContext {
  readonly alias: AmiAlias | undefined;
  readonly kubernetesVersion: string;
}

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
    alias === undefined
      ? new Map<never, never>()
      : await aliasImages(call, alias, kubernetesVersion);
  const queries = await queriesOf(call, terms, [...variants.keys()]);
  const answers = await Promise.all(queries.map((query) => describeImages(call, query)));
  return onceEach(answers.flat().flatMap((image) => foundImage(image, variants)));
}

/** The images behind an alias, with what each one is made for. */
async function aliasImages(
  call: AwsCall,
  alias: AmiAlias,
  kubernetesVersion: string,
): Promise<ReadonlyMap<string, readonly ImageVariant[]>> {
  const parameters = imageParametersOf(alias, kubernetesVersion);
  const values = await parameterValues(
    call,
    parameters.map(({ path }) => path),
  );
  const images = new Map<string, readonly ImageVariant[]>();
  for (const { path, variants } of parameters) {
    const id = values.get(path);
    if (id !== undefined) images.set(id, [...(images.get(id) ?? []), ...variants]);
  }
  return images;
}

/** How many parameters one call may name. Source: SSM API, GetParameters, Names. */
const PARAMETERS_A_CALL = 10;

/** The image ids that these parameters hold; without those that do not exist or hold none. */
async function parameterValues(
  call: AwsCall,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const once = [...new Set(names)].sort();
  const chunks = Array.from({ length: Math.ceil(once.length / PARAMETERS_A_CALL) }, (_, index) =>
    once.slice(index * PARAMETERS_A_CALL, (index + 1) * PARAMETERS_A_CALL),
  );
  const answers = await Promise.all(chunks.map((Names) => call('GetParameters', { Names })));
  const found = answers.flatMap(({ Parameters }) => Parameters ?? []);
  return new Map(
    found.flatMap(({ Name, ARN, Value }) => {
      const named = once.find((name) => name === Name || name === ARN);
      return named !== undefined && Value?.startsWith('ami-') ? [[named, Value]] : [];
    }),
  );
}

async function queriesOf(
  call: AwsCall,
  terms: readonly SelectorTerm[],
  aliasIds: readonly string[],
): Promise<readonly Query[]> {
  const named = await parameterValues(
    call,
    terms.flatMap(({ ssmParameter }) => ssmParameter ?? []),
  );
  const ids = [
    ...new Set([...aliasIds, ...terms.flatMap(({ id }) => id ?? []), ...named.values()]),
  ].sort(compareText);
  const searches = terms.filter(isSearch).map(searchOf);
  return ids.length === 0
    ? searches
    : [{ Filters: [{ Name: 'image-id', Values: ids }] }, ...searches];
}

/** The CRD lets an id or an alias stand alone; a parameter may stand beside name and tags. */
const isSearch = ({ id, name, tags }: SelectorTerm): boolean =>
  id === undefined && (name !== undefined || tags !== undefined);

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

function foundImage(
  image: Image,
  variantsById: ReadonlyMap<string, readonly ImageVariant[]>,
): readonly FoundImage[] {
  const { ImageId: id = '', Name: name = '', Architecture: architecture } = image;
  if (architecture !== 'x86_64' && architecture !== 'arm64') return [];
  const variants = variantsById.get(id);
  const { DeprecationTime: deprecation } = image;
  return [
    {
      id,
      name,
      architecture,
      createdAt: Date.parse(image.CreationDate ?? '') || 0,
      ...(deprecation === undefined ? {} : { deprecatedAt: Date.parse(deprecation) }),
      ...(variants === undefined ? {} : { variants }),
    },
  ];
}
