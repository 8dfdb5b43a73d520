import { parseFeatureGates } from '#lib/model/feature-gates.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { parseUsdPerHour } from '#lib/model/usd-limit.ts';

type Policies = Pick<ClusterSettings, 'minValuesPolicy' | 'preferencePolicy'>;

/** What a command line may say of settings that a function reads from its environment. */
export interface SettingArguments extends Partial<Policies> {
  /** Karpenter's notation: NodeOverlay=true,StaticCapacity=true. */
  readonly featureGates?: string;
  /** What all nodes together may cost. */
  readonly limitUsdPerHour?: string;
  /** When nodes may be replaced where NodePools do not say: a YAML list. */
  readonly disruptionWindows?: string;
  /** What consolidation must save for each pod that it moves, as a share of what a pod costs. */
  readonly consolidationMoveShare?: string;
}

/**
 * Which of them means nothing, and how it is written; undefined where all are well. What comes from
 * the environment may be empty, which says nothing; a limit does not.
 */
export function settingMisuse({
  featureGates = '',
  limitUsdPerHour,
  consolidationMoveShare = '',
}: SettingArguments): string | undefined {
  const gates = parseFeatureGates(featureGates);
  if ('problem' in gates) return `--feature-gates: ${gates.problem}`;
  if (limitUsdPerHour !== undefined && parseUsdPerHour(limitUsdPerHour) === undefined) {
    return `--limit-usd-per-hour ${limitUsdPerHour} is not an amount: write it as 12.50`;
  }
  return consolidationMoveShare === '' || SHARE.test(consolidationMoveShare)
    ? undefined
    : `--consolidation-move-share ${consolidationMoveShare} is not a share: write it as 0.5`;
}

const SHARE = /^\d{1,3}(\.\d{1,6})?$/;

/** What they come to. */
export function settingsOf({
  featureGates = '',
  limitUsdPerHour = '',
  disruptionWindows = '',
  consolidationMoveShare = '',
  minValuesPolicy,
  preferencePolicy,
}: SettingArguments): Partial<ClusterSettings> {
  const gates = parseFeatureGates(featureGates);
  const limit = parseUsdPerHour(limitUsdPerHour);
  return {
    featureGates: 'problem' in gates ? [] : gates,
    ...(limit !== undefined && { limitUsdPerHour: limit }),
    ...(disruptionWindows !== '' && { disruptionWindows }),
    ...(consolidationMoveShare !== '' && {
      consolidationMoveShare: Number(consolidationMoveShare),
    }),
    ...(minValuesPolicy && { minValuesPolicy }),
    ...(preferencePolicy && { preferencePolicy }),
  };
}
