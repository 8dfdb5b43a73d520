/**
 * Whether pods end up where they were planned, in the embedded world: for each way of leading them,
 * the share of pods on the node that was made for them, what the nodes cost once all is settled
 * against what was planned, and the seconds from the first pod to the last that runs. Prints a
 * Markdown table; arguments: how many pods, and seeds.
 */
import { playBurst, type Way } from '#test/build/burst-world.ts';

const WAYS: readonly Way[] = [
  { name: 'none', placement: 'none' },
  { name: 'nominate', placement: 'nominate' },
  { name: 'nominate, preemptionPolicy Never', placement: 'nominate', keepsNominations: true },
  { name: 'bind', placement: 'bind' },
];

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const [pods = 100, ...seeds] = process.argv.slice(2).map(Number);
print('| way | pods | seed | where planned | claims | cost: planned → settled | all run after |');
print('| --- | --: | --: | --: | --: | --: | --: |');
for (const seed of seeds.length > 0 ? seeds : [1]) {
  for (const way of WAYS) {
    const seen = await playBurst(way, pods, seed);
    const cost = `$${seen.plannedUsd.toFixed(2)} → $${seen.settledUsd.toFixed(2)}`;
    const share = `${percent(seen.asPlanned, seen.planned)} of ${seen.planned}`;
    print(
      `| ${way.name} | ${pods} | ${seed} | ${share} | ${seen.claims} | ${cost} | ${seen.seconds.toFixed(0)} s |`,
    );
  }
}
