import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Aws } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { SETTINGS } from '#lib/runtime/settings-table.ts';
import { type Decided, Deployment } from './stack/deployment.ts';
import type { CodeOf } from './stack/joinery-function.ts';
import { tellOutputs } from './stack/outputs.ts';
import { DEFAULTS, type Door, type JoineryProps } from './stack/props.ts';
import { refusalsOf } from './stack/refusals.ts';

export type { AlarmLimits, Door, JoineryProps, ScheduleProps } from './stack/props.ts';

/**
 * Joinery beside an EKS cluster, as a construct for a CDK app of the user's own:
 *
 *     new Joinery(this, 'Joinery', { clusterName: 'shop', webhookPath: process.env.WEBHOOK_PATH });
 *
 * It makes the functions and what wakes them, and the nodes' role; what stands in the cluster is
 * applied by `joinery install`. Throws where a property cannot be right.
 */
export class Joinery extends Construct {
  /** Where the cluster's webhook calls; undefined where there is no door. */
  readonly webhookUrl: string | undefined;
  readonly nodeRoleArn: string;

  constructor(scope: Construct, id: string, props: JoineryProps) {
    super(scope, id);
    const door = props.door ?? DEFAULTS.door;
    const refusals = refusalsOf(props);
    if (refusals.length > 0) throw new Error(refusals.map((each) => `Joinery: ${each}`).join('\n'));
    const deployment = new Deployment(this, 'Deployment', decidedBy(props, door));
    const { isOpen, url } = deployment.webhook;
    this.webhookUrl = isOpen === false ? undefined : url;
    this.nodeRoleArn = deployment.nodeRoleArn;
    tellOutputs(this, deployment);
  }
}

const decidedBy = (props: JoineryProps, door: Door): Decided => ({
  code: uploadedFrom(props.bundles ?? bundlesFolder()),
  clusterName: props.clusterName,
  webhookPath: props.webhookPath ?? '',
  doors: { httpApi: door === 'http-api', functionUrl: door === 'function-url' },
  ...surroundings(props),
  ...habits(props),
});

/** Where it runs, and who is let in. */
const surroundings = ({
  clusterName,
  vpc,
  nodeRoleName,
  createAccessEntries = true,
  createSpotServiceLinkedRole = false,
}: JoineryProps) => ({
  vpc: {
    choice: vpc !== undefined,
    subnetIds: vpc?.subnetIds ?? [],
    securityGroupIds: vpc?.securityGroupIds ?? [],
  },
  nodeRole: {
    make: nodeRoleName === undefined,
    made: `JoineryNodeRole-${clusterName}`,
    given: nodeRoleName ?? '',
  },
  accessEntries: createAccessEntries,
  spotServiceLinkedRole: createSpotServiceLinkedRole,
});

/** When and how it works, and whom it tells. */
const habits = ({
  consolidateSchedules = [DEFAULTS.consolidateSchedule],
  driftSchedule = DEFAULTS.driftSchedule,
  alarmEmail,
  alarms,
  memoryMegabytes,
  logRetentionDays = DEFAULTS.logRetentionDays,
  settings = {},
}: JoineryProps) => ({
  consolidateSchedules,
  driftSchedule,
  alarmEmail: { tell: alarmEmail !== undefined, address: alarmEmail ?? '' },
  alarms: { ...DEFAULTS.alarms, ...alarms },
  memoryMegabytes: { ...DEFAULTS.memoryMegabytes, ...memoryMegabytes },
  logRetentionDays,
  settings,
  eventBus: busOf(settings[SETTINGS.eventBus.name] ?? ''),
});

/** A bus is named, or given by its ARN; one that is not known yet is taken for a name. */
const busOf = (bus: string): Decided['eventBus'] => ({
  tell: bus !== '',
  arn: bus.startsWith('arn:')
    ? bus
    : `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:event-bus/${bus}`,
});

/** The bundles in a folder, as assets that CDK uploads. */
const uploadedFrom =
  (folder: string): CodeOf =>
  (scope, name) => {
    const path = join(folder, name);
    if (!existsSync(path)) {
      throw new Error(`Joinery's functions are not built, there is no ${path}: npm run build`);
    }
    const { s3BucketName, s3ObjectKey } = new Asset(scope, 'Code', { path });
    return { s3Bucket: s3BucketName, s3Key: s3ObjectKey };
  };

/** Beside the built package, and in a checkout the same. */
const bundlesFolder = (): string => fileURLToPath(new URL('../dist/functions', import.meta.url));
