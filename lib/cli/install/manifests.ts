import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { crdTexts } from '#lib/cli/crds.ts';

const FOLDER = new URL('../../../infra/cluster/', import.meta.url);

/** An object as it stands in a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** What is installed beside what always is. */
export interface Wanted {
  /** Where the webhook calls; no webhook where absent. */
  readonly webhookUrl?: string;
  /** Lets Joinery bind pods itself: JOINERY_PLACEMENT=bind. */
  readonly bind?: boolean;
  /** The default PriorityClass under which pods keep the nodes that were named to them. */
  readonly keepNominations?: boolean;
}

/**
 * Everything that Joinery puts into a cluster, in the order in which it is applied: namespace, kinds,
 * rights, share of the API server, and the webhook last, which calls as soon as it is there.
 */
export const manifests = ({ webhookUrl, bind, keepNominations }: Wanted): readonly Manifest[] => [
  ...documents('namespace.yaml'),
  ...crdTexts().flatMap(read),
  ...documents('rbac.yaml'),
  ...(bind ? documents('bind/rbac.yaml') : []),
  ...documents('flow-schema.yaml'),
  ...(keepNominations ? documents('keep-nominations/priority-class.yaml') : []),
  ...(webhookUrl === undefined ? [] : documents('webhook/webhook.yaml').map(calling(webhookUrl))),
];

const documents = (file: string): readonly Manifest[] =>
  read(readFileSync(new URL(file, FOLDER), 'utf8'));

const read = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document): Manifest => document.toJS());

/** The webhook's configuration with the address in place of the placeholder. */
const calling =
  (url: string) =>
  (manifest: Manifest): Manifest => {
    const { webhooks } = Object(manifest);
    const list: readonly object[] = webhooks;
    return Object.assign({}, manifest, {
      webhooks: list.map((each) => ({ ...each, clientConfig: { url } })),
    });
  };
