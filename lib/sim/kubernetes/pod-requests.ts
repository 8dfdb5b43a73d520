import { parseAmount } from '#lib/constraints/quantity.ts';
import { addResources, maxResources, type Resources } from '#lib/constraints/resources.ts';
import type { Container, PodObject, Quantities } from './wire.ts';

const known = new WeakMap<PodObject['spec'], Resources>();

/**
 * What a pod takes of its node, one pod included: the sum of its containers and sidecars, or the
 * most that an init container needs beside the sidecars started before it; pod-level requests
 * replace either; overhead comes on top.
 *
 * Source: kubernetes v1.36, component-helpers/resource/helpers.go, PodRequests.
 */
export function podRequests({ spec }: PodObject): Resources {
  const remembered = known.get(spec);
  if (remembered !== undefined) return remembered;
  let running = sum(spec.containers.map(requestsOf));
  let sidecars: Resources = {};
  let starting: Resources = {};
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container);
    if (container.restartPolicy === 'Always') {
      running = addResources(running, own);
      sidecars = addResources(sidecars, own);
      starting = maxResources(starting, sidecars);
    } else starting = maxResources(starting, addResources(own, sidecars));
  }
  const whole = parseQuantities(spec.resources?.requests ?? spec.resources?.limits);
  const needed = { ...maxResources(running, starting), ...whole };
  const requests = addResources(addResources(needed, parseQuantities(spec.overhead)), { pods: 1 });
  known.set(spec, requests);
  return requests;
}

const sum = (list: readonly Resources[]): Resources =>
  list.reduce((total, each) => addResources(total, each), {});

const requestsOf = ({ resources }: Container): Resources =>
  parseQuantities({ ...resources?.limits, ...resources?.requests });

const amounts = new WeakMap<Quantities, Resources>();

/** Amounts of quantities that admission has checked. */
export function parseQuantities(quantities: Quantities | undefined): Resources {
  if (quantities === undefined) return {};
  const remembered = amounts.get(quantities);
  if (remembered !== undefined) return remembered;
  const parsed: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(quantities)) {
    parsed[name] = parseAmount(name, quantity) ?? 0;
  }
  amounts.set(quantities, parsed);
  return parsed;
}
