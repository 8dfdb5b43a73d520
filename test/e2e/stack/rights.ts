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

/**
 * What is asked for only where there is a reason that cannot be had at will: a warm sandbox watches
 * kinds of which there are many; what somebody else changed in between is read again before it is
 * told what came of a launch, or a taint is lifted; so is an EC2NodeClass whose role cannot be given.
 * test/infra/rare-rights.test.ts has reasons for each of them.
 */
export const RARE_GETS: readonly string[] = [
  'get ec2nodeclasses.karpenter.k8s.aws',
  'get nodeclaims.karpenter.sh',
  'get nodes',
];

/** Whether a right cannot be used at will. */
export const isRare = (right: string): boolean =>
  right.startsWith('watch ') || RARE_GETS.includes(right);

/** A right in one line, as kubectl auth can-i would be asked. */
export const rightText = ({ verb, group, resource }: Right): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
