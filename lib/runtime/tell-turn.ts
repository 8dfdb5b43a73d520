import { announce } from '#lib/aws/event-bus.ts';
import type { WakeUp } from '#lib/triggers/wake-up.ts';
import { announcementsOf } from './announcements.ts';
import { metricLines } from './metrics.ts';
import { logTurn } from './report.ts';
import type { Shell } from './shell.ts';
import type { TurnReport, TurnStory } from './turn.ts';

/**
 * Tells what a turn came to: one line of the log, metrics, and, where the settings name a bus, an
 * event for each decision. What cannot be told there does not fail the turn: it is done.
 */
export async function tellTurn(
  shell: Shell,
  { name, measure }: TurnStory,
  wakeUp: WakeUp,
  report: TurnReport,
): Promise<void> {
  const { clusterName } = shell.settings.cluster;
  const last = report.rounds.at(-1);
  const figures = measure && last ? measure(last.snapshot) : undefined;
  logTurn(shell, { name, wakeUp, report, ...(figures && { figures }) });
  const measured = { clusterName, name, report, ...(figures && { figures }) };
  for (const line of metricLines(measured)) shell.writeMetrics?.(line);
  const { eventBus } = shell.settings;
  if (eventBus === undefined) return;
  try {
    await announce(shell.aws, eventBus, announcementsOf(report, { clusterName, name }));
  } catch (error) {
    shell.log.warn(`not every decision was put on the event bus ${eventBus}`, { error });
  }
}
