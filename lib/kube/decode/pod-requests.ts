import type { Resources } from '#lib/constraints/resources.ts';
import { addResources, maxResources } from '#lib/constraints/resources.ts';
import { group, list, optional, required, type Wire, wire, withDefault } from './field.ts';
import { amounts, name, text } from './scalar.ts';

const NONE: Resources = Object.freeze({});
const isPodLevel = (resource: string): boolean =>
  resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');

/**
 * What the scheduler must find free for the pod that `spec` and `status` describe, one place among
 * the pods of its node included. Containers and sidecars (init containers that restart) run
 * together; an ordinary init container runs beside the sidecars that stand before it; the pod's own
 * resources overrule both; overhead comes on top. While a resize is under way the larger of what is
 * asked for and what is given counts. Limits stand in for requests that are missing.
 *
 * Source: kubernetes v1.36, component-helpers/resource/helpers.go, PodRequests; core/v1 defaults.
 */
export function podRequests(spec: Wire, status: Wire): Resources {
  const given = grantedResources(status);
  const isInfeasible = resizeIsInfeasible(status);
  const requestsOf = (container: Container): Resources => {
    const inPlace = given.get(container.name);
    if (inPlace === undefined) return container.requests;
    return isInfeasible ? inPlace : maxResources(container.requests, inPlace);
  };
  const ofContainers = withInitContainers(
    list(spec, 'containers', container).map(requestsOf),
    list(spec, 'initContainers', container).map((each) => ({
      isSidecar: each.isSidecar,
      requests: requestsOf(each),
    })),
  );
  const ofPod = overruledByPod(ofContainers, group(spec, 'resources'));
  return addResources(addResources(ofPod, withDefault(spec, 'overhead', NONE, amounts)), {
    pods: 1,
  });
}

interface Container {
  readonly name: string;
  readonly isSidecar: boolean;
  readonly requests: Resources;
}

function container(value: unknown): Container {
  const fields = wire(value);
  return {
    name: required(fields, 'name', name),
    isSidecar: optional(fields, 'restartPolicy', text) === 'Always',
    requests: required(fields, 'resources', requestsOrLimits),
  };
}

function requestsOrLimits(value: unknown): Resources {
  if (value === undefined || value === null) return NONE;
  const resources = wire(value);
  const requests = withDefault(resources, 'requests', NONE, amounts);
  const limits = optional(resources, 'limits', amounts);
  return limits === undefined ? requests : { ...limits, ...requests };
}

function withInitContainers(
  containers: readonly Resources[],
  initContainers: readonly { readonly isSidecar: boolean; readonly requests: Resources }[],
): Resources {
  let running = containers.reduce(addResources, NONE);
  let sidecars = NONE;
  let starting = NONE;
  for (const { isSidecar, requests } of initContainers) {
    const together = addResources(sidecars, requests);
    starting = maxResources(starting, together);
    if (!isSidecar) continue;
    sidecars = together;
    running = addResources(running, requests);
  }
  return maxResources(running, starting);
}

function overruledByPod(ofContainers: Resources, resources: Wire): Resources {
  const limits = Object.entries(withDefault(resources, 'limits', NONE, amounts));
  const requests = Object.entries(withDefault(resources, 'requests', NONE, amounts));
  if (limits.length === 0 && requests.length === 0) return ofContainers;
  return {
    ...Object.fromEntries(limits.filter(([resource]) => isPodLevel(resource))),
    ...ofContainers,
    ...Object.fromEntries(requests.filter(([resource]) => isPodLevel(resource))),
  };
}

/** By container name: what the kubelet has set aside or made effective, the larger of both. */
function grantedResources(status: Wire): ReadonlyMap<string, Resources> {
  const granted = new Map<string, Resources>();
  for (const key of ['containerStatuses', 'initContainerStatuses']) {
    list(status, key, (value) => {
      const of = wire(value);
      const effective = optional(group(of, 'resources'), 'requests', amounts);
      if (effective === undefined) return;
      const allocated = withDefault(of, 'allocatedResources', NONE, amounts);
      granted.set(required(of, 'name', name), maxResources(effective, allocated));
    });
  }
  return granted;
}

const resizeIsInfeasible = (status: Wire): boolean =>
  list(status, 'conditions', wire).some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
