import { expect, it } from 'vitest';
import { kubeCallName } from '#lib/sim/seams.ts';

it.each([
  ['GET', '/api/v1/pods', 'list pods'],
  ['GET', '/api/v1/namespaces/web/pods', 'list pods'],
  ['GET', '/api/v1/namespaces/web', 'get namespaces'],
  ['GET', '/apis/coordination.k8s.io/v1/namespaces/joinery/leases/joinery', 'get leases'],
  ['POST', '/api/v1/namespaces/web/pods/web-1/eviction', 'create pods/eviction'],
  ['PATCH', '/apis/karpenter.sh/v1/nodeclaims/default-1/status', 'patch nodeclaims/status'],
  ['PUT', '/api/v1/namespaces/joinery/configmaps/sold-out', 'update configmaps'],
  ['DELETE', '/apis/karpenter.sh/v1/nodeclaims/default-1', 'delete nodeclaims'],
  ['DELETE', '/api/v1/namespaces/web/pods', 'deletecollection pods'],
  ['GET', '/version', 'get /version'],
] as const)('%s %s is called "%s"', (method, path, name) => {
  expect(kubeCallName({ method, path })).toBe(name);
});

it('a list that watches is a watch', () => {
  expect(kubeCallName({ method: 'GET', path: '/api/v1/pods', query: { watch: 'true' } })).toBe(
    'watch pods',
  );
});
