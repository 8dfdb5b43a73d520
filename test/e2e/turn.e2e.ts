import { setTimeout as delay } from 'node:timers/promises';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, expect, inject, it } from 'vitest';
import { createProvision } from '#functions/provision/provision.ts';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { listInstances } from '#lib/aws/instances.ts';
import { crdTexts } from '#lib/cli/crds.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { virtualClock } from '#lib/sim/clock.ts';
import { createJournal } from '#lib/sim/journal.ts';
import { createKubernetes } from '#lib/sim/kubernetes/cluster.ts';
import { seededRandom } from '#lib/sim/random.ts';
import { readCrd } from '#lib/sim/schema/custom-resource.ts';
import { settings } from '#test/build/aws-callers.ts';
import { aDeployment } from '#test/build/small-cluster.ts';
import { aCall, prepareAccount, REGION, tell } from './account.ts';

const SELECTOR = [{ tags: { 'karpenter.sh/discovery': settings.clusterName } }];
const MANIFESTS = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'joinery' } },
  {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'turns' },
    spec: {
      role: 'node-role',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: SELECTOR,
      securityGroupSelectorTerms: SELECTOR,
    },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'turns' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'turns' },
          requirements: [
            {
              key: 'node.kubernetes.io/instance-type',
              operator: 'In',
              values: ['m5.large', 'c5.large'],
            },
          ],
        },
      },
    },
  },
  aDeployment('web', 2, { cpu: '1' }),
];
const BETWEEN_TURNS_MS = 5_000;
/** How much faster the embedded cluster's time passes than the emulator's while both work. */
const STEP_MS = 100;
const REAL_STEP_MS = 25;

let call: AwsCall;
let hintQueueUrl = '';

beforeAll(async () => {
  await tell({ soldOut: [], faults: [] });
  await prepareAccount();
  call = aCall(10_000);
  const sqs = new SQSClient({ region: REGION, endpoint: inject('endpoint') });
  hintQueueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: 'hints' }))).QueueUrl ?? '';
});

/** An embedded cluster whose provision speaks to AWS through `aws`, over HTTP. */
function aCluster(aws: AwsCall) {
  const clock = virtualClock(Date.now());
  const random = seededRandom(1);
  const cluster = createKubernetes({
    ...{ clock, random, journal: createJournal() },
    crds: crdTexts().map(readCrd),
  });
  for (const manifest of MANIFESTS) cluster.apply(manifest);
  const failures: unknown[] = [];
  const note = (_text: string, fields: unknown) => void failures.push(fields);
  const provision = createProvision({
    ...{ aws, now: clock.now, sleep: clock.sleep, events: createEventMemory() },
    kube: cluster.transport('provision'),
    log: { info: () => undefined, warn: note, error: note },
    settings: { cluster: settings, hintQueueUrl, identity: 'turn' },
  });
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) {
      clock.after(STEP_MS, () => undefined);
      await clock.run(done, clock.now() + STEP_MS);
      await delay(REAL_STEP_MS);
    }
  };
  return {
    cluster,
    claims: () => cluster.list('NodeClaim').map((claim) => Object(claim)),
    /** One turn after another, a few seconds apart, until it is so. */
    turnsUntil: async (isSo: () => boolean): Promise<void> => {
      for (let turn = 0; turn < 30 && !isSo(); turn += 1) {
        clock.after(BETWEEN_TURNS_MS, () => undefined);
        await clock.run(() => false, clock.now() + BETWEEN_TURNS_MS);
        let ended = false;
        const running = provision({}, { getRemainingTimeInMillis: () => 120_000 }).finally(() => {
          ended = true;
        });
        await Promise.all([running, until(() => ended)]);
      }
      expect(isSo()).toBe(true);
    },
  };
}

it('pods get instances, turn by turn, one answer lost on the way, and instances end with their NodeClaims', async () => {
  let lost = 0;
  const losesOne = (async (name, input) => {
    const answer = await call(name, input);
    if (name !== 'CreateFleet' || lost > 0) return answer;
    lost += 1;
    throw new Error('the connection was closed before the answer came');
  }) as AwsCall;
  const { cluster, claims, turnsUntil } = aCluster(losesOne);
  const pool = { 'karpenter.sh/nodepool': 'turns' };
  const alive = async () =>
    (await listInstances(call, settings.clusterName, pool)).filter(
      ({ state }) => state === 'pending' || state === 'running',
    );

  const launched = () => claims().filter(({ status }) => status?.providerID !== undefined);
  await turnsUntil(() => launched().length > 0 && launched().length === claims().length);
  const instances = await alive();
  expect(lost).toBe(1);
  expect(
    launched()
      .map(({ status }) => status.providerID.split('/').at(-1))
      .sort(),
  ).toEqual(instances.map(({ id }) => id).sort());
  expect(instances.map(({ instanceType }) => instanceType)).toEqual(
    instances.map(() => 'c5.large'),
  );

  cluster.remove('Deployment', 'default', 'web');
  for (const { metadata } of claims()) cluster.remove('NodeClaim', '', metadata.name);
  await turnsUntil(() => claims().length === 0);
  expect(await alive()).toEqual([]);
});
