import { describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import type { CallFate } from '#lib/sim/call-faults.ts';
import type { World } from '#lib/sim/world.ts';
import { type FaultRun, type Mishap, playWithMishaps } from '#test/build/fault-run.ts';
import { MINUTE, SECOND } from '#test/build/objects.ts';

/** With `JOINERY_FAULTS=n` each is played n times, every time struck at other calls. */
const TIMES = Number(process.env.JOINERY_FAULTS ?? 1);
const HOUR_MS = 3_600_000;

/** One call of every `step`, as long as the story would last without: some 3,500 calls. */
const each = (step: number, first: number, mishap: Omit<Mishap, 'at'>): readonly Mishap[] =>
  Array.from({ length: Math.floor(3_500 / step) }, (_, at) => ({
    at: first + at * step,
    times: 1,
    ...mishap,
  }));

async function survives(play: (shift: number) => Promise<FaultRun>): Promise<void> {
  for (let time = 0; time < TIMES; time += 1) {
    const { violations, left, ran } = await play(time * 7);
    expect({ time, violations, left, ran }).toEqual({ time, violations: [], left: [], ran: true });
  }
}

const lost = new WeakSet<World['kubernetes']>();
const isLost = (kubernetes: World['kubernetes']): boolean => lost.has(kubernetes);

/** A kubelet whose Node was deleted does not register again, as one that never did. */
function loseFirst(kubernetes: World['kubernetes']): void {
  lost.add(kubernetes);
  const [node] = kubernetes.list('Node');
  if (node !== undefined) kubernetes.remove('Node', '', node.metadata.name);
}

/** What Joinery makes or writes to. */
const KEPT = ['NodeClaim', 'Node', 'Pod', 'Lease', 'ConfigMap'];
/** What it only looks at, and what somebody else makes anew or not. */
const OTHERS = ['ReplicaSet', 'CSINode', 'Event', 'PodDisruptionBudget', 'DaemonSet'];

const FATES: readonly (readonly [string, number, CallFate])[] = [
  ['answers 500', 37, { how: 'answer', status: 500 }],
  [
    'answers 429, to be asked again in 3 s',
    41,
    { how: 'answer', status: 429, retryAfterSeconds: 3 },
  ],
  ['answers 409', 43, { how: 'answer', status: 409 }],
  ['is cut off before a request arrives', 47, { how: 'cut', performed: false }],
  ['is cut off before an answer arrives', 53, { how: 'cut', performed: true }],
  ['serves lists of long ago', 11, { how: 'stale' }],
];

describe('five pods come, move and go, nothing is left behind, and no rule is broken on the way', () => {
  it.each(FATES)(
    'while the API server %s, one call of every %i',
    async (_what, step, fate) => {
      await survives((shift) => playWithMishaps(each(step, 5 + shift, { fate })));
    },
    HOUR_MS,
  );

  it(
    'while functions freeze after they have asked for leave, and go on when others have',
    async () => {
      const fates = [
        { how: 'frozen', ms: 20 * SECOND },
        { how: 'frozen', ms: 10 * MINUTE },
      ] as const;
      await survives((shift) =>
        playWithMishaps(
          fates.flatMap((fate, at) => each(331 + 60 * at, 100 + 150 * at + shift, { fate })),
        ),
      );
    },
    HOUR_MS,
  );

  it(
    'while every function is invoked twice at once',
    async () => {
      const meanwhile = (world: World) => {
        for (const name of ['provision', 'provision', 'drift'] as const) void world.invoke(name);
      };
      await survives((shift) => playWithMishaps(each(600, 100 + shift, { meanwhile })));
    },
    HOUR_MS,
  );

  it.each([
    ['ahead of', 1],
    ['behind', -1],
  ])(
    'while the clock of provision is a minute %s everybody else’s',
    async (_which, sign) => {
      await survives((shift) =>
        playWithMishaps([], (name) => (name === 'provision' ? sign * (MINUTE + shift) : 0)),
      );
    },
    HOUR_MS,
  );

  it.each([
    ['NodeClaims, Nodes, pods, Leases and ConfigMaps', KEPT, 397],
    ['what belongs to others', OTHERS, 293],
  ])(
    'while a person deletes %s',
    async (_what, kinds, step) => {
      let turn = 0;
      const meanwhile = (world: World) => {
        const kind = kinds[turn % kinds.length] ?? '';
        turn += 1;
        const [object] = world.kubernetes.list(kind);
        if (object === undefined) return;
        const { namespace = '', name } = object.metadata;
        world.kubernetes.remove(kind, namespace, name);
      };
      await survives((shift) => playWithMishaps(each(step, 300 + shift, { meanwhile })));
    },
    HOUR_MS,
  );

  it(
    'while a person ends the instance of each first node at EC2, twice',
    async () => {
      const meanwhile = ({ aws }: World) => {
        const [machine] = aws.machines().filter(({ state }) => state === 'running');
        if (machine !== undefined)
          void aws.call('person')('TerminateInstances', { InstanceIds: [machine.id] });
      };
      await survives((shift) =>
        playWithMishaps([700, 1_300].map((at) => ({ at: at + shift, times: 1, meanwhile }))),
      );
    },
    HOUR_MS,
  );

  it(
    'while a node registers before its NodeClaim was told which instance it has',
    async () => {
      const fate = { how: 'answer', status: 500 } as const;
      const isUntold = (name: string, world: World) =>
        name.startsWith('patch nodeclaims') &&
        world.aws.machines().some(({ launchedAt }) => world.clock.now() - launchedAt < MINUTE);
      await survives(() =>
        playWithMishaps([{ fate, when: ({ name }, world) => isUntold(name, world) }]),
      );
    },
    HOUR_MS,
  );

  it(
    'while the first node never registers',
    async () => {
      await survives(() =>
        playWithMishaps([
          {
            when: ({ name }, { kubernetes }) =>
              name === 'list nodes' && kubernetes.list('Node').length > 0 && !isLost(kubernetes),
            meanwhile: ({ kubernetes }) => loseFirst(kubernetes),
          },
        ]),
      );
    },
    HOUR_MS,
  );

  it(
    'while a person deletes the NodePool and makes it again once it is gone',
    async () => {
      await survives((shift) =>
        playWithMishaps(
          [350, 900].map((at) => ({
            at: at + shift,
            times: 1,
            meanwhile: (world) => replace(world, 'NodePool'),
          })),
        ),
      );
    },
    HOUR_MS,
  );

  it(
    'while a person deletes the namespace of Joinery and installs it again',
    async () => {
      const meanwhile = ({ kubernetes, clock, apply }: World) => {
        kubernetes.remove('Namespace', '', 'joinery');
        const again = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'joinery' } };
        clock.after(2 * MINUTE, () => apply([again]));
      };
      await survives((shift) =>
        playWithMishaps([500, 1_500].map((at) => ({ at: at + shift, times: 1, meanwhile }))),
      );
    },
    HOUR_MS,
  );

  it(
    'while a person deletes the EC2NodeClass and makes it again once it is gone',
    async () => {
      await survives((shift) =>
        playWithMishaps([
          { at: 25 + shift, times: 1, meanwhile: (world) => replace(world, 'EC2NodeClass') },
        ]),
      );
    },
    HOUR_MS,
  );
});

/** Deletes the object `default` of a kind and applies it again when nothing is left of it. */
function replace(world: World, kind: string): void {
  const manifest = manifestsOf(inflate).find(({ object }) => object.kind === kind)?.object;
  world.kubernetes.remove(kind, '', 'default');
  const again = (): void => {
    const isGone = world.kubernetes.get(kind, '', 'default') === undefined;
    if (isGone) world.apply([manifest]);
    else world.clock.after(10 * SECOND, again);
  };
  world.clock.after(10 * SECOND, again);
}
