import fc from 'fast-check';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { readMime } from '#lib/ec2/user-data/mime.ts';
import { userDataOf, userDataProblem } from '#lib/ec2/user-data/user-data.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

type Told = Partial<Omit<Parameters<typeof userDataOf>[0], 'nodeClass'>> & {
  readonly spec?: Partial<NodeClass['spec']>;
  readonly status?: Partial<NodeClass['status']>;
};

function render({ spec = {}, status = {}, ...told }: Told = {}): string {
  const wire = spec.kubelet === undefined ? {} : { kubelet: spec.kubelet };
  const userData = userDataOf({
    claim: aNewClaim(),
    nodeClass: aNodeClass({ spec, status, wire }),
    capacityType: 'spot',
    maxPods: 29,
    settings: someSettings({ clusterName: 'shop', clusterDnsIp: '10.100.0.10' }),
    ...told,
  });
  return isRejection(userData) ? `refused: ${userData.because}` : userData;
}

const claimWith = (labels: NodeClaim['meta']['labels']): NodeClaim =>
  aNewClaim({ meta: { labels } });

const bottlerocket = (told: Told = {}): { settings: Record<string, Record<string, unknown>> } => {
  const toml = render({ ...told, spec: { amiFamily: 'Bottlerocket', ...told.spec } });
  const { settings } = parseToml(toml);
  return { settings: { ...Object(settings) } };
};

const RESERVES = { kubeReserved: { cpu: '60m', memory: '544Mi' }, systemReserved: {} };

describe('userDataOf', () => {
  it('registers the node with its taints, those of start-up, and the one that keeps pods off', () => {
    const claim = aNewClaim({
      spec: {
        taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'cilium', value: '', effect: 'NoExecute' }],
      },
    });

    expect(render({ claim })).toMatch(
      /registerWithTaints:\n *- effect: NoSchedule\n *key: team\n *value: a\n *- effect: NoExecute\n *key: cilium\n *- effect: NoExecute\n *key: karpenter.sh\/unregistered\n/,
    );
  });

  it('takes what names an anchor that is not there for a script, as other text that is no YAML', () => {
    const userData = 'files: *all\n';
    const parts = readMime(render({ spec: { amiFamily: 'AL2023', userData } })) ?? [];

    expect(parts.map(({ headers }) => headers['Content-Type'])[0]).toContain('text/x-shellscript');
    expect(
      userDataProblem(aNodeClass({ spec: { amiFamily: 'AL2023', userData } }), someSettings()),
    ).toBeUndefined();
  });

  it.each(['AL2', 'AL2023', 'Windows2022'])(
    'asks kubelet of %s for no label that it may not give itself, and none of our bookkeeping',
    (amiFamily) => {
      const labels = {
        'joinery.dev/launch-group': 'g',
        'example.com/team': 'a',
        'node-restriction.kubernetes.io/zone': 'b',
        'x.k8s.io/y': 'c',
      };
      const userData = render({ spec: { amiFamily }, claim: claimWith(labels) });

      expect(/--node-labels="([^"]*)"/.exec(userData)?.[1]?.split(',')).toEqual([
        'example.com/team=a',
        'karpenter.k8s.aws/ec2nodeclass=default',
        'karpenter.sh/capacity-type=spot',
        'karpenter.sh/do-not-sync-taints=true',
        'karpenter.sh/nodepool=default',
      ]);
    },
  );

  it.each([
    ['AL2', '--kube-reserved="cpu=60m,memory=544Mi"'],
    ['AL2023', 'kubeReserved:\n        cpu: 60m\n        memory: 544Mi\n'],
    ['Bottlerocket', '[settings.kubernetes.kube-reserved]\ncpu = "60m"\nmemory = "544Mi"'],
    ['Windows2019', '--kube-reserved="cpu=60m,memory=544Mi"'],
  ])('tells %s what expressions came to, never the expression', (amiFamily, expected) => {
    const kubelet = {
      maxPodsExpression: 'vcpus * 10',
      kubeReserved: { cpu: '60m', memory: 'max_pods * 11' },
    };
    const told = render({ spec: { amiFamily, kubelet }, reserves: RESERVES });

    expect(told).toContain(expected);
    expect(told).not.toContain('max_pods');
    expect(render({ spec: { amiFamily, kubelet } })).not.toContain('max_pods');
  });

  it('names no certificate and no DNS where the cluster has told none', () => {
    const settings = someSettings({ clusterCa: '' });

    expect(render({ spec: { amiFamily: 'AL2' }, settings })).not.toMatch(/b64|dns/);
    expect(render({ spec: { amiFamily: 'Windows2022' }, settings })).not.toMatch(/Base64|DNS/);
  });

  it.each([
    ['1m30s', '1m30s'],
    ['2m', '2m0s'],
    ['3600s', '1h0m0s'],
    ['1500ms', '1.5s'],
    ['250ms', '250ms'],
    ['1.5us', '1.5µs'],
    ['0', '0s'],
    ['soon', 'soon'],
  ])('writes the grace period %s as Go does: %s', (written, expected) => {
    const kubelet = { evictionSoftGracePeriod: { 'memory.available': written } };

    expect(render({ spec: { amiFamily: 'AL2', kubelet } })).toContain(
      `--eviction-soft-grace-period="memory.available=${expected}"`,
    );
  });

  it.each([
    ['AL2', 'MIME-Version: 1.0\n\nx', 'starts like a MIME archive'],
    ['AL2023', 'Content-Type: text/plain\n\nx', 'starts like a MIME archive'],
    ['Bottlerocket', 'a = [', 'is not TOML'],
    ['Bottlerocket', 'settings = 5', 'as tables'],
    ['Bottlerocket', '[settings.kubernetes]\nnode-labels = []', 'as tables'],
    ['Custom', 'x'.repeat(16_385), 'comes to 16385 bytes'],
    ['AL2', `#!/bin/bash\n#${'ä'.repeat(8192)}`, 'EC2 takes 16384 at most'],
  ])('refuses for %s what it cannot read or EC2 not take', (amiFamily, userData, because) => {
    const spec = { amiFamily, userData };

    expect(render({ spec })).toMatch(/^refused: the userData of EC2NodeClass default /);
    expect(render({ spec })).toContain(because);
    expect(userDataProblem(aNodeClass({ spec }))).toContain(because);
  });

  it('has nothing against user data that is read, or of a family that takes any', () => {
    const problemOf = (amiFamily: string, userData: string) =>
      userDataProblem(aNodeClass({ spec: { amiFamily, userData } }));

    expect(problemOf('Custom', 'MIME-Version: 1.0\n\nx')).toBeUndefined();
    expect(problemOf('Bottlerocket', '[settings.ntp]\n')).toBeUndefined();
    expect(problemOf('AL2023', '#!/bin/bash\n')).toBeUndefined();
  });
});

describe('user data of any family', () => {
  const words = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/),
    fc.stringMatching(/^[a-z0-9]{1,6}$/),
  );
  const shuffled = <T>(of: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(of).toReversed());

  it('is the same whatever order labels and reserves stand in', () => {
    const family = fc.constantFrom('AL2', 'AL2023', 'Bottlerocket', 'Windows2022');
    fc.assert(
      fc.property(family, words, words, (amiFamily, labels, kubeReserved) => {
        const told = (inOrder: typeof shuffled) =>
          render({
            spec: { amiFamily },
            claim: claimWith(inOrder(labels)),
            reserves: { kubeReserved: inOrder(kubeReserved), systemReserved: {} },
          });

        expect(told(shuffled)).toBe(told((of) => ({ ...of })));
      }),
    );
  });

  it('keeps what the user wrote, first and to the letter, in an archive', () => {
    const line = fc.stringMatching(/^[ -~]{0,20}$/);
    const lines = fc.array(line, { maxLength: 6 }).map((all) => ['#!/bin/sh', ...all].join('\n'));
    fc.assert(
      fc.property(fc.constantFrom('AL2', 'AL2023'), lines, (amiFamily, userData) => {
        const parts = readMime(render({ spec: { amiFamily, userData } }));

        expect(parts).toHaveLength(2);
        expect(parts?.[0]?.body).toBe(userData);
      }),
    );
  });
});

describe('the settings of Bottlerocket', () => {
  it('keep integers, floats and dates of the user as they are', () => {
    const userData = '[settings.x]\na = 9007199254740993\nb = 1.0\nc = 1979-05-27T07:32:00Z\n';

    expect(render({ spec: { amiFamily: 'Bottlerocket', userData } })).toContain(
      '[settings.x]\na = 9007199254740993\nb = 1.0\nc = 1979-05-27T07:32:00.000Z\n',
    );
  });

  it('give a taint key all its effects', () => {
    const taint = { key: 'a', value: 'b' };
    const claim = aNewClaim({
      spec: {
        taints: [
          { ...taint, effect: 'NoSchedule' },
          { ...taint, effect: 'NoExecute' },
        ],
      },
    });

    expect(bottlerocket({ claim }).settings.kubernetes?.['node-taints']).toEqual({
      a: ['b:NoSchedule', 'b:NoExecute'],
      'karpenter.sh/unregistered': [':NoExecute'],
    });
  });

  it.each<[string, Partial<NodeClass['spec']>, boolean]>([
    ['an alias of latest', { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }, true],
    ['an alias of 1.46', { amiSelectorTerms: [{ alias: 'bottlerocket@v1.46.0' }] }, true],
    ['an alias without v', { amiSelectorTerms: [{ alias: 'bottlerocket@2.0.1' }] }, true],
    ['an alias of 1.45', { amiSelectorTerms: [{ alias: 'bottlerocket@v1.45.9' }] }, false],
    ['a name', { amiSelectorTerms: [{ name: 'bottlerocket-aws-k8s-1.33-v1.50.0-ab' }] }, true],
    ['an id', { amiSelectorTerms: [{ id: 'ami-old' }] }, false],
    ['what was found', { amiSelectorTerms: [{ tags: { a: 'b' } }] }, true],
  ])('name the folders to bind where %s says an old version', (_what, spec, bindsByItself) => {
    const { settings } = bottlerocket({
      spec: { ...spec, instanceStorePolicy: 'RAID0' },
      status: {
        amis: [
          { id: 'ami-1', name: 'mine', deprecated: false, requirements: [] },
          { id: 'ami-2', name: 'bottlerocket-v1.46.0-a', deprecated: false, requirements: [] },
          { id: 'ami-old', name: 'bottlerocket-v1.20.1-a', deprecated: false, requirements: [] },
        ],
      },
    });
    const command = JSON.stringify(settings['bootstrap-commands']);

    expect(command.includes('--dirs')).toBe(!bindsByItself);
  });

  it('name the folders where nobody tells a version', () => {
    const spec = { amiSelectorTerms: [{ tags: { a: 'b' } }], instanceStorePolicy: 'RAID0' };

    expect(JSON.stringify(bottlerocket({ spec }))).toContain('--dirs');
  });
});
