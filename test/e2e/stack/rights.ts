import { readFileSync } from 'node:fs';
import { objectsIn } from './install.ts';

const FOLDER = new URL('../../../infra/cluster/', import.meta.url);

/** One thing that infra/cluster grants: a verb on a resource. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: pods/eviction. */
  readonly resource: string;
}

/** Everything that a file of infra/cluster grants, in its order. */
export const rightsIn = (file: string): readonly Right[] =>
  objectsIn(readFileSync(new URL(file, FOLDER), 'utf8')).flatMap(({ rules = [] }) =>
    (Array.isArray(rules) ? rules : []).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group: string) =>
        resources.flatMap((resource: string) =>
          verbs.map((verb: string) => ({ verb, group, resource })),
        ),
      ),
    ),
  );

/** A right in one line, as kubectl auth can-i would be asked. */
export const rightText = ({ verb, group, resource }: Right): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
