import { FEATURE_GATES, type FeatureGate } from '#lib/model/feature-gates.ts';
import { SETTINGS, type Setting } from './settings-table.ts';

/** What each of Karpenter's gates opens, how it stands here, and why. */
const GATES: Readonly<Record<FeatureGate, string>> = {
  CapacityBuffer: 'room kept for CapacityBuffers; off, as upstream: it costs money without pods',
  NodeClassCEL:
    'expressions over the instance type in kubelet settings; off, as upstream: an alpha of the AWS provider',
  NodeOverlay: 'prices and capacities changed by NodeOverlays; off, as upstream: an alpha API',
  NodeRepair:
    'nodes replaced by force that ail for longer than AWS’s policies tolerate, a fifth of a pool at most; off, as upstream: it asks nobody',
  SpotToSpotConsolidation:
    'spot nodes replaced by cheaper spot nodes; off, as upstream: cheaper spot is interrupted sooner',
  StaticCapacity: 'NodePools with replicas; off, as upstream: an alpha API',
};

/** The README's part on settings: a table of all of them, and one of the gates. */
export function settingsMarkdown(): string {
  const settings: readonly Setting[] = Object.values(SETTINGS);
  return [
    '| setting | says | value | default |',
    '|---|---|---|---|',
    ...settings.map(
      ({ name, says, expected, ...rest }) =>
        `| \`${name}\` | ${cell(says)} | ${cell(expected)} | ${defaultOf(rest)} |`,
    ),
    '',
    'Gates (`JOINERY_FEATURE_GATES`, such as `NodeOverlay=true,NodeRepair=true`) bear Karpenter’s names:',
    '',
    '| gate | opens | |',
    '|---|---|---|',
    ...FEATURE_GATES.map((gate) => {
      const [opens = '', why = ''] = GATES[gate].split('; ');
      return `| \`${gate}\` | ${opens} | ${why} |`;
    }),
    '| `ReservedCapacity` | capacity reservations | always on, as upstream: what is paid for anyway is used first |',
    '',
    'Karpenter’s other settings have no counterpart: bursts are gathered for 1 s without news and 10 s at most,',
    'pods with resource claims are refused, and the rest is about a process that lives on.',
    '',
  ].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function defaultOf({ fallback, otherwise }: Pick<Setting, 'fallback' | 'otherwise'>): string {
  if (fallback === undefined) return otherwise ?? 'must be told';
  return fallback === '' ? 'none' : `\`${fallback}\``;
}
