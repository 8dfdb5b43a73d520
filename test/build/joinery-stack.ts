import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { ENTRIES } from '#infra/bundle.ts';
import { Joinery, type JoineryProps } from '#infra/joinery.ts';

/** Something to upload, for these tests do not build. */
const bundles = mkdtempSync(join(tmpdir(), 'joinery-bundles-'));
for (const name of Object.keys(ENTRIES)) {
  mkdirSync(join(bundles, name));
  writeFileSync(join(bundles, name, 'index.mjs'), `// ${name}`);
}

/** Where the cluster's webhook calls, in every test. */
export const WEBHOOK_PATH = 'f00dfacef00dfacef00dfacef00dface';

/** A stack with the construct and these props beside the two that are always needed. */
export function joineryStack(props: Partial<JoineryProps> = {}) {
  const stack = new Stack(new App({ analyticsReporting: false }), 'Shop');
  const joinery = new Joinery(stack, 'Joinery', {
    clusterName: 'shop',
    webhookPath: WEBHOOK_PATH,
    bundles,
    ...props,
  });
  return { joinery, template: Template.fromStack(stack) };
}

/** The resources of a type, by their names. */
export const resourcesOf = (
  template: Template,
  type: string,
): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  Object.entries(template.findResources(type)).map(([name, each]) => [
    name,
    Object(each).Properties,
  ]);
