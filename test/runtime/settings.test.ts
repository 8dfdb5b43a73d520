import { describe, expect, it } from 'vitest';
import { checkSettings, readSettings } from '#lib/runtime/settings.ts';

const GOOD = {
  JOINERY_CLUSTER_NAME: 'demo',
  AWS_REGION: 'us-east-1',
  JOINERY_CLUSTER_ENDPOINT: 'https://0123456789.gr7.us-east-1.eks.amazonaws.com',
  JOINERY_CLUSTER_CA: 'LS0tLS1CRUdJTg==',
  JOINERY_SERVICE_CIDR: '10.100.0.0/16',
  JOINERY_KUBERNETES_VERSION: '1.33',
  JOINERY_HINT_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/111122223333/joinery-demo',
};

describe('readSettings', () => {
  it('takes what the environment says and the field’s defaults for the rest', () => {
    const { cluster, hintQueueUrl } = readSettings(GOOD);

    expect(hintQueueUrl).toBe(GOOD.JOINERY_HINT_QUEUE_URL);
    expect(cluster).toMatchObject({
      clusterName: 'demo',
      region: 'us-east-1',
      minValuesPolicy: 'Strict',
      preferencePolicy: 'Respect',
      vmMemoryOverheadPercent: 0.075,
    });
  });

  it('opens kubelet expressions with their gate, and keeps interfaces from pods', () => {
    const { cluster } = readSettings({
      ...GOOD,
      JOINERY_FEATURE_GATES: 'NodeClassCEL=true',
      JOINERY_RESERVED_ENIS: '1',
    });

    expect(cluster).toMatchObject({ kubeletExpressions: true, reservedInterfaces: 1 });
    expect(readSettings(GOOD).cluster).toMatchObject({
      kubeletExpressions: false,
      reservedInterfaces: 0,
    });
  });

  it('opens the gates that it names, and limits what all nodes may cost', () => {
    const { cluster } = readSettings({
      ...GOOD,
      JOINERY_FEATURE_GATES: 'StaticCapacity=true,NodeOverlay=true',
      JOINERY_LIMIT_USD_PER_HOUR: '12.50',
    });

    expect(cluster).toMatchObject({
      featureGates: ['NodeOverlay', 'StaticCapacity'],
      limitUsdPerHour: 12.5,
    });
    expect(readSettings(GOOD).cluster.featureGates).toEqual([]);
    expect(readSettings(GOOD).cluster).not.toHaveProperty('limitUsdPerHour');
  });

  it('names every missing and every malformed setting at once', () => {
    const { JOINERY_CLUSTER_NAME: _, ...rest } = GOOD;
    const read = () => readSettings({ ...rest, JOINERY_KUBERNETES_VERSION: 'v1.33.2' });

    expect(read).toThrow(/JOINERY_CLUSTER_NAME is missing: expected the name of the EKS cluster/);
    expect(read).toThrow(/JOINERY_KUBERNETES_VERSION is "v1.33.2": expected a minor version/);
  });

  it.each([
    ['JOINERY_MIN_VALUES_POLICY', 'strict'],
    ['JOINERY_PREFERENCE_POLICY', 'Obey'],
    ['JOINERY_VM_MEMORY_OVERHEAD_PERCENT', '7.5'],
    ['JOINERY_SERVICE_CIDR', '10.100.0.0'],
    ['JOINERY_SCHEDULER_CONFIG', '{podTopologySpread: {defaultConstraints: [{maxSkew: 0}]}}'],
    ['JOINERY_FEATURE_GATES', 'NodeOverlay'],
    ['JOINERY_LIMIT_USD_PER_HOUR', '$12'],
    ['AWS_REGION', 'Virginia'],
  ])('does not guess what %s=%s means', (name, value) => {
    expect(() => readSettings({ ...GOOD, [name]: value })).toThrow(name);
  });

  it('reads how pods are spread that do not say so themselves', () => {
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    const config = JSON.stringify({ podTopologySpread: { defaultConstraints: [constraint] } });

    expect(
      readSettings({ ...GOOD, JOINERY_SCHEDULER_CONFIG: config }).cluster.defaultSpread,
    ).toMatchObject([constraint]);
    expect(readSettings(GOOD).cluster).not.toHaveProperty('defaultSpread');
  });

  it('takes an empty setting for a missing one', () => {
    expect(() => readSettings({ ...GOOD, JOINERY_CLUSTER_NAME: '' })).toThrow(
      /JOINERY_CLUSTER_NAME is missing/,
    );
  });
});

describe('checkSettings', () => {
  const { JOINERY_CLUSTER_NAME, AWS_REGION, JOINERY_HINT_QUEUE_URL } = GOOD;
  const named = { JOINERY_CLUSTER_NAME, AWS_REGION, JOINERY_HINT_QUEUE_URL };

  it('does not miss what EKS will be asked', () => {
    expect(() => checkSettings({ ...named, JOINERY_CLUSTER_CA: '' })).not.toThrow();
    expect(() => readSettings(named)).toThrow('JOINERY_CLUSTER_CA is missing');
  });

  it('names every malformed setting at once all the same', () => {
    const check = () =>
      checkSettings({ ...named, JOINERY_PLACEMENT: 'magic', JOINERY_SERVICE_CIDR: 'wide' });

    expect(check).toThrow(/JOINERY_SERVICE_CIDR is "wide".*JOINERY_PLACEMENT is "magic"/);
  });
});
