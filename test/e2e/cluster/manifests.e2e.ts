import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { REPERTOIRE } from '#lib/cli/stories/repertoire.ts';
import { collectionPath } from '../stack/cluster-client.ts';
import { objectsIn } from '../stack/install.ts';
import { type RealWorld, realWorld } from '../stack/real-world.ts';

/** Karpenter's repository as the Go module proxy has it; its examples are what its users start from. */
const UPSTREAM = 'github.com/aws/karpenter-provider-aws@v1.14.0';
const VERDICTS = new URL('../../scenarios/manifests/api-server-verdicts.json', import.meta.url);

/** A mistake in the examples: what Karpenter's own definition refuses in the same words. */
const REFUSED_BY_KARPENTER_TOO = [
  'windows-custom-userdata.yaml: spec.template.spec.nodeClassRef.group: Invalid value: "karpenter.k8s.aws/v1": spec.template.spec.nodeClassRef.group in body should match \'^[^/]*$\'',
];

interface Verdict {
  readonly manifest: Readonly<Record<string, unknown>> & {
    readonly metadata: { readonly name: string };
  };
  readonly errors: readonly string[];
}

let world: RealWorld;
beforeAll(async () => {
  world = await realWorld({ isQuiet: true, install: { bind: true, keepNominations: true } });
});
afterAll(() => world?.end());

describe('what joinery install applies', () => {
  it('is taken by a real API server, and its kinds are served with whole schemas', async () => {
    const answer = await world.cluster.transport({
      method: 'GET',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    });
    const kinds: readonly unknown[] = Object(answer.body).items;
    const states = kinds.map((crd) => {
      const { metadata, status } = Object(crd);
      const isTrue = (type: string) =>
        status.conditions.some(
          (one: { readonly type: string; readonly status: string }) =>
            one.type === type && one.status === 'True',
        );
      return `${metadata.name} ${isTrue('Established')} ${!isTrue('NonStructuralSchema')}`;
    });

    expect(states.sort()).toEqual([
      'capacitybuffers.autoscaling.x-k8s.io true true',
      'ec2nodeclasses.karpenter.k8s.aws true true',
      'nodeclaims.karpenter.sh true true',
      'nodeoverlays.karpenter.sh true true',
      'nodepools.karpenter.sh true true',
    ]);
  });
});

describe("Karpenter's manifests", () => {
  it('apply unchanged, all of its examples, pools and workloads', async () => {
    const examples = join(moduleFolder(UPSTREAM), 'examples');
    const files = ['v1', 'workloads'].flatMap((folder) =>
      readdirSync(join(examples, folder)).map((name) => join(examples, folder, name)),
    );
    const refused: string[] = [];
    for (const file of files) {
      for (const object of objectsIn(readFileSync(file, 'utf8'))) {
        const problems = await problemsOf(object);
        if (problems.length > 0) refused.push(`${basename(file)}: ${problems.join('; ')}`);
      }
    }

    expect(files.length).toBeGreaterThan(20);
    expect(refused.sort()).toEqual(REFUSED_BY_KARPENTER_TOO);
  });

  it("are refused where and as Karpenter's own definitions refuse them", async () => {
    const verdicts: readonly Verdict[] = JSON.parse(readFileSync(VERDICTS, 'utf8'));
    const differences: object[] = [];
    for (const { manifest, errors } of verdicts) {
      const found = await problemsOf(manifest);
      // With a scale subresource and CEL a real API server may have more to say, never less.
      const isSame = errors.every((error) => found.includes(error));
      if (!isSame || (errors.length === 0 && found.length > 0)) {
        differences.push({ name: manifest.metadata.name, expected: errors, found });
      }
    }

    expect(verdicts.length).toBeGreaterThan(80);
    expect(differences).toEqual([]);
  });

  it('of a NodeOverlay and of a CapacityBuffer are taken, with their gates', async () => {
    await world.cluster.apply({
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: { name: 'license-fee' },
      spec: {
        weight: 10,
        requirements: [
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['m'] },
        ],
        priceAdjustment: '+10%',
        capacity: { 'example.com/license': '1' },
      },
    });
    await world.cluster.apply({
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { name: 'room-for-two', namespace: 'default' },
      spec: { podTemplateRef: { name: 'web' }, replicas: 2 },
    });

    expect(await world.cluster.list('NodeOverlay')).toHaveLength(1);
    expect(await world.cluster.list('CapacityBuffer')).toHaveLength(1);
  });
});

describe('the manifests of the stories', () => {
  it.each(REPERTOIRE.map((story) => [story.number, story] as const))(
    'are taken, story %i',
    async (_number, story) => {
      for (const { object } of manifestsOf(story)) await world.cluster.apply(object);
    },
  );
});

/** Says only that there may be more. Source: kubernetes v1.36, apiextensions-apiserver, CEL. */
const MORE = 'some validation rules were not checked because the object was invalid';

/** What the API server would have against an object, each as `where: why`, sorted. */
async function problemsOf(object: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const path = collectionPath(object);
  const answer = await world.cluster.transport({
    method: 'POST',
    path,
    query: { dryRun: 'All' },
    body: object,
  });
  if (answer.status < 300) return [];
  const { message, details } = Object(answer.body);
  const causes: readonly { readonly field: string; readonly message: string }[] =
    details?.causes ?? [{ field: path, message }];
  return causes
    .filter((cause) => !cause.message.includes(MORE))
    .map((cause) => `${cause.field}: ${cause.message}`)
    .sort();
}

/** Where the sources of a Go module lie, fetched where they are not there yet. */
function moduleFolder(module: string): string {
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', module], {
    encoding: 'utf8',
    cwd: '/',
    env: { ...process.env, GOWORK: 'off' },
  });
  const { Dir, Error: problem } = JSON.parse(stdout);
  if (Dir === undefined) throw new Error(`${module} cannot be had: ${problem}`);
  return Dir;
}
