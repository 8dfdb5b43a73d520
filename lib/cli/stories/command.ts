import { readFileSync } from 'node:fs';
import type { Io } from '../io.ts';
import { readDocuments } from '../read-documents.ts';
import { readFiles } from '../read-files.ts';
import { type Manifest, RefusedManifests } from './apply-manifests.ts';
import { createNarrator, type Narrator } from './narrate.ts';
import { printResult, resultOf } from './outcome.ts';
import { ownStory } from './own-manifests.ts';
import { createProgress } from './progress.ts';
import { findStory, REPERTOIRE } from './repertoire.ts';
import { START, setStage } from './stage.ts';
import type { Story } from './story.ts';

/** What was asked of `joinery stories`. */
export interface StoriesArguments {
  readonly words: readonly string[];
  readonly list?: boolean;
  readonly seed: string;
  readonly files: readonly string[];
  readonly output: 'json' | 'text';
}

const WRONG_USAGE = 2;

/**
 * Plays a story, or lists them, or plays the user's own manifests. Gives the exit status: 0 when
 * every check holds, 1 when one fails or the manifests are bad, 2 for wrong usage.
 */
export async function storiesCommand(args: StoriesArguments, io: Io): Promise<number> {
  if (args.list) return list(io);
  const seed = Number(args.seed);
  if (!/^\d+$/.test(args.seed) || !Number.isSafeInteger(seed)) {
    io.err(`--seed is ${JSON.stringify(args.seed)}: expected a whole number from 0 on`);
    return WRONG_USAGE;
  }
  if (args.files.length > 0 && args.words.length > 0) {
    io.err('Name a story or files of your own, not both');
    return WRONG_USAGE;
  }
  if (args.files.length > 0) return await playFiles(args, seed, io);
  const story = findStory(args.words);
  if (story === undefined) {
    io.err(
      `There is no story ${JSON.stringify(args.words.join(' '))}: --list shows those that play`,
    );
    return WRONG_USAGE;
  }
  return await play(story, { seed, manifests: manifestsOf(story) }, args, io);
}

/** The manifests that come with a story. */
export function manifestsOf({ manifests: file }: Story): readonly Manifest[] {
  const text = readFileSync(new URL(`./manifests/${file}`, import.meta.url), 'utf8');
  return readDocuments(file, text).documents.map(({ document, object }) => ({
    where: `${file}, document ${document}`,
    object,
  }));
}

async function playFiles(args: StoriesArguments, seed: number, io: Io): Promise<number> {
  const { documents, problems } = await readFiles(args.files);
  for (const { file, document, problem } of problems) {
    io.err(`${file}${document === undefined ? '' : `, document ${document}`}: ${problem}`);
  }
  if (problems.length > 0) return 1;
  const own = ownStory(documents);
  if ('problems' in own) {
    for (const problem of own.problems) io.err(problem);
    return 1;
  }
  for (const warning of own.warnings) io.err(warning);
  return await play(own.story, { ...own, seed }, args, io);
}

function list(io: Io): number {
  for (const { number, name, title } of REPERTOIRE) {
    io.out(`${String(number).padStart(2)}  ${name.padEnd(20)}  ${title}`);
  }
  return 0;
}

interface Staging {
  readonly seed: number;
  readonly manifests: readonly Manifest[];
  readonly networkTags?: Readonly<Record<string, string>>;
}

/** A timeline, and a line of progress below it for as long as it has nothing to tell. */
function narratorWithProgress(io: Io): Narrator {
  const progress = createProgress(io, START);
  const out = (line: string) => {
    progress.finish();
    io.out(line);
  };
  const narrator = createNarrator({ ...io, out }, START);
  return {
    tell: (entry) => {
      progress.tell(entry);
      narrator.tell(entry);
    },
    finish: () => {
      progress.finish();
      narrator.finish();
    },
  };
}

const settingsOf = ({ settings = {} }: Story) => settings;

async function play(
  story: Story,
  staging: Staging,
  { output }: StoriesArguments,
  io: Io,
): Promise<number> {
  const isTold = output === 'text';
  const narrator = isTold ? narratorWithProgress(io) : createProgress(io, START);
  if (isTold) {
    const heading = story.number === 0 ? 'Your own' : `Story ${story.number}: ${story.name}`;
    io.out(`${heading} (${story.region}, seed ${staging.seed})`);
    io.out(`${story.title}\n`);
  }
  const stage = setStage({
    region: story.region,
    settings: settingsOf(story),
    ...staging,
    listen: narrator.tell,
  });
  try {
    await story.play(stage);
  } catch (error) {
    if (!(error instanceof RefusedManifests)) throw error;
    narrator.finish();
    for (const refusal of error.refusals) io.err(refusal);
    return 1;
  }
  stage.checkNoFunctionFailed();
  narrator.finish();
  const result = resultOf(story, stage, START);
  if (isTold) printResult(result, io);
  else io.out(JSON.stringify(result, null, 2));
  return result.ok ? 0 : 1;
}
