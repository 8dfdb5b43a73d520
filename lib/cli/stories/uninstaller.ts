import type { World } from '#lib/sim/world.ts';
import { type UninstallOptions, uninstallCommand } from '../uninstall/command.ts';

/** How `joinery uninstall` ended, and what it said. */
export interface Uninstalled {
  readonly status: number | undefined;
  readonly said: readonly string[];
}

const HOUR_MS = 3_600_000;

/** Runs `joinery uninstall` in the embedded world, as a person does from a desk beside it. */
export const uninstallerIn =
  ({ kubernetes, clock, runUntil }: World) =>
  async (options: UninstallOptions): Promise<Uninstalled> => {
    const said: string[] = [];
    const hear = (line: string): void => {
      said.push(line);
    };
    let status: number | undefined;
    const running = uninstallCommand(
      options,
      { out: hear, err: hear, isTerminal: false },
      {
        connect: async () => kubernetes.transport('uninstall'),
        now: clock.now,
        sleep: clock.sleep,
      },
    ).then((ended) => {
      status = ended;
    });
    await runUntil(() => status !== undefined, HOUR_MS);
    if (status !== undefined) await running;
    return { status, said };
  };
