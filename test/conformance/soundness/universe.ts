/**
 * The domains that a spread constraint counts: those in which nodes could be made, whether or not
 * one is there or can be had now, beside those of the nodes that are there.
 *
 * Source: karpenter v1.14, provisioning/scheduling/topology.go, buildDomainGroups.
 */
import type { Taint } from '#lib/constraints/taints.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { givesNodes, typesOf } from './claims.ts';
import { allows, keyOf, labelsOfType, NODECLASS, NODEPOOL } from './rules.ts';

/** A domain, and the taints of the pools that could make a node in it. */
export interface Domain {
  readonly value: string;
  readonly taints: readonly Taint[];
}

/** The domains of `key` in which the cluster's pools could make nodes, once for each pool. */
export const universeOf = (snapshot: Snapshot, key: string): readonly Domain[] =>
  snapshot.nodePools
    .filter(givesNodes)
    .flatMap((pool) =>
      [...domainsOf(snapshot, pool, key)].map((value) => ({ value, taints: pool.template.taints })),
    );

function domainsOf(snapshot: Snapshot, pool: NodePool, key: string): ReadonlySet<string> {
  const { template, meta } = pool;
  const lines = template.requirements.filter((line) => keyOf(line) === key);
  const own: Readonly<Record<string, string>> = {
    ...template.labels,
    [NODEPOOL]: meta.name,
    [NODECLASS]: template.nodeClassRef.name,
  };
  const isAllowed = (value: string): boolean =>
    (own[key] === undefined || own[key] === value) &&
    lines.every(({ operator, values = [] }) => allows(operator, values, value));
  const given = own[key] === undefined ? [] : [own[key]];
  const listed = lines.flatMap(({ operator, values = [] }) => (operator === 'In' ? values : []));
  const ofTypes = typesOf(snapshot, pool)
    .flatMap((type) => labelsOfType(type).get(key) ?? [])
    .filter((value) => value !== undefined);
  return new Set([...given, ...listed, ...ofTypes].filter(isAllowed));
}
