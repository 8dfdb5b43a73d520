import { describe, expect, it } from 'vitest';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { holdsAttachments, mostAttachable } from '#lib/solver/volumes/attachments.ts';
import { volumeObjectsOf } from '#lib/solver/volumes/volume-lookup.ts';
import { volumeUsageOf } from '#lib/solver/volumes/volume-usage.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { aMeta, NOON } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import {
  aBoundClaim,
  aCsiNode,
  aStorageClass,
  aVolume,
  aVolumeClaim,
} from '#test/build/volumes.ts';

const CLAIMS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => aVolumeClaim({ meta: { name } }));
const withClaims = (name: string, ...claims: string[]): Pod =>
  aPod({
    meta: { name },
    volumes: claims.map((claimName) => ({ volume: claimName, claimName })),
  });
const running = (name: string, ...claims: string[]): Pod =>
  aRunningPod({ meta: { name }, volumes: withClaims(name, ...claims).volumes });

/** A cluster whose node node-1 takes `count` EBS volumes and runs `pods`. */
function usage(count: number, pods: readonly Pod[], difference: Partial<Snapshot> = {}) {
  const node = aStateNode({ pods: pods.filter(({ nodeName }) => nodeName !== undefined) });
  const snapshot = aSnapshot({
    nodes: [node],
    csiNodes: [aCsiNode('node-1', count)],
    persistentVolumeClaims: CLAIMS,
    storageClasses: [aStorageClass()],
    ...difference,
  });
  const waiting = pods.filter(({ nodeName }) => nodeName === undefined);
  return { node, ...volumeUsageOf(snapshot, waiting, volumeObjectsOf(snapshot)) };
}
/** How many pods like the first that waits go on node-1. */
function room(count: number, pods: readonly Pod[], difference: Partial<Snapshot> = {}): number {
  const { node, attachmentsOf, limitsOn } = usage(count, pods, difference);
  const [first = aPod()] = pods.filter(({ nodeName }) => nodeName === undefined);
  return mostAttachable({ attachments: attachmentsOf(first) }, limitsOn(node, []), new Map());
}

const ephemeral = {
  volumes: [{ volume: 'tmp', claimName: 'a-tmp', ephemeral: { storageClassName: 'gp3' } }],
};

describe('volumeUsageOf', () => {
  it('counts the volumes of pods that run against what the node may attach', () => {
    const others = [withClaims('two', 'd'), withClaims('three', 'e'), withClaims('four', 'f')];

    expect(room(5, [running('old', 'a', 'b'), withClaims('new', 'c'), ...others])).toBe(3);
    expect(room(3, [running('old', 'a'), withClaims('new', 'b', 'c'), ...others])).toBe(1);
    expect(room(2, [running('old', 'a', 'b'), withClaims('new', 'c')])).toBe(0);
  });

  it('counts a claim that several pods share once', () => {
    expect(room(1, [running('old', 'a'), withClaims('new', 'a')])).toBe(Number.POSITIVE_INFINITY);
    expect(room(1, [withClaims('one', 'a'), withClaims('two', 'a')])).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(room(1, [running('old', 'b'), withClaims('one', 'a'), withClaims('two', 'a')])).toBe(0);
  });

  it('does not count pods that have finished', () => {
    const done = { ...running('old', 'a'), phase: 'Succeeded' as const };

    expect(room(1, [done, withClaims('new', 'b'), withClaims('two', 'c')])).toBe(1);
  });

  it('counts what is still attached for pods that are gone, each volume once', () => {
    const attached = (name: string) => ({
      meta: aMeta(`attached-${name}`),
      nodeName: 'node-1',
      persistentVolumeName: `pv-${name}`,
    });
    const volumes = ['a', 'b'].map((name) =>
      aVolume({ meta: { name: `pv-${name}` }, claim: { namespace: 'default', name } }),
    );
    const claims = [
      aBoundClaim({ meta: { name: 'a' } }),
      aBoundClaim({ meta: { name: 'b' } }),
      ...['c', 'd', 'e'].map((name) => aVolumeClaim({ meta: { name } })),
    ];
    const objects = { persistentVolumes: volumes, persistentVolumeClaims: claims };
    const volumeAttachments = [attached('a'), attached('b')];
    const pods = [running('old', 'a'), ...['c', 'd', 'e'].map((name) => withClaims(name, name))];

    expect(room(3, pods, objects)).toBe(2);
    expect(room(3, pods, { ...objects, volumeAttachments })).toBe(1);
    expect(
      room(2, [running('old', 'a'), withClaims('back', 'b')], { ...objects, volumeAttachments }),
    ).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not limit volumes that no CSI driver serves, and knows EBS by its old name', () => {
    const claims = { persistentVolumeClaims: [aBoundClaim({ meta: { name: 'a' } })] };
    const { csiDriver: _, ...nfs } = aVolume({ meta: { name: 'pv-a' } });
    const ebs = aVolume({ meta: { name: 'pv-a' }, csiDriver: 'kubernetes.io/aws-ebs' });

    expect(room(0, [withClaims('new', 'a')], { ...claims, persistentVolumes: [nfs] })).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(room(0, [withClaims('new', 'a')], { ...claims, persistentVolumes: [ebs] })).toBe(0);
  });

  it('tells pods apart by the claims they share, not by those of their own', () => {
    const pods = [
      withClaims('one', 'a'),
      withClaims('two', 'b'),
      withClaims('three', 'c'),
      withClaims('four', 'c'),
    ];
    const { attachmentsOf } = usage(2, pods);
    const [one, two, three, four] = pods.map((pod) => attachmentsOf(pod).key);

    expect(one).toBe(two);
    expect(three).toBe(four);
    expect(one).not.toBe(three);
    expect(attachmentsOf(aPod()).key).toBe('');
  });

  it('does not tell pods apart where no node can run out', () => {
    const pods = [withClaims('one', 'a'), withClaims('two', 'a'), withClaims('three', 'b')];

    expect(usage(2, pods).attachmentsOf(pods[0] ?? aPod()).key).toBe('');
    expect(usage(1, pods).attachmentsOf(pods[0] ?? aPod()).key).not.toBe('');
  });

  it('attaches nothing that counts where no node limits anything', () => {
    const pods = [withClaims('one', 'a')];

    expect(usage(5, pods, { csiNodes: [] }).attachmentsOf(pods[0] ?? aPod()).key).toBe('');
  });

  it('expects of a type what its newest node may attach', () => {
    const node = (name: string, createdAt: number) => ({
      ...aStateNode({ node: aNode({ meta: { name, createdAt } }) }),
    });
    const { limitsOfType, limitsOn } = usage(5, [], {
      nodes: [node('old', NOON - 2), node('new', NOON - 1)],
      csiNodes: [aCsiNode('old', 39), aCsiNode('new', 27)],
    });
    const joining = anInFlightNode(
      aNodeClaim({ meta: { labels: { 'node.kubernetes.io/instance-type': 'm5.large' } } }),
    );

    expect(limitsOfType('m5.large').get('ebs.csi.aws.com')?.count).toBe(27);
    expect(limitsOfType('c5.large').size).toBe(0);
    expect(limitsOn(joining, []).get('ebs.csi.aws.com')?.count).toBe(27);
  });
});

describe('volumeUsageOf, of a node that is up', () => {
  it('limits nothing where its CSINode tells no limit, whatever others of its type tell', () => {
    const { limitsOn } = usage(5, []);
    const other = aStateNode({ node: aNode({ meta: { name: 'other' } }) });

    expect(limitsOn(other, []).size).toBe(0);
  });
});

describe('mostAttachable', () => {
  const { attachmentsOf, limitsOn, node } = usage(6, [
    withClaims('one', 'a'),
    withClaims('two', 'b', 'c'),
    withClaims('three', 'd', 'e'),
    withClaims('four', 'd'),
    withClaims('five', 'f'),
    aPod(ephemeral),
  ]);
  const alike = (...claims: string[]) => ({
    attachments: attachmentsOf(withClaims('x', ...claims)),
  });
  const [one, two, three] = [alike('a'), alike('b', 'c'), alike('d', 'e')];
  const limits = limitsOn(node, []);

  it('leaves room for whom has been put there before', () => {
    expect(mostAttachable(one, limits, new Map())).toBe(6);
    expect(mostAttachable(one, limits, new Map([[two, 2]]))).toBe(2);
    expect(mostAttachable(one, limits, new Map([[three, 3]]))).toBe(2);
    expect(mostAttachable(two, limits, new Map([[one, 5]]))).toBe(0);
  });

  it('counts what the joining pods share once for all of them', () => {
    expect(mostAttachable(three, limits, new Map())).toBe(5);
    expect(mostAttachable(three, limits, new Map([[one, 6]]))).toBe(0);
  });
});

describe('holdsAttachments', () => {
  const { attachmentsOf, limitsOn, node } = usage(
    2,
    ['a', 'b', 'c'].map((name) => withClaims(name, name)),
  );

  it('is whether all together stay within the limit', () => {
    const one = { attachments: attachmentsOf(withClaims('x', 'a')) };

    expect(holdsAttachments(limitsOn(node, []), new Map([[one, 2]]))).toBe(true);
    expect(holdsAttachments(limitsOn(node, []), new Map([[one, 3]]))).toBe(false);
  });
});
