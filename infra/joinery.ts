import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnOutput } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { SETTINGS } from '#lib/runtime/settings-table.ts';
import { type Decided, Deployment } from './stack/deployment.ts';
import type { CodeOf } from './stack/joinery-function.ts';
import { DEFAULTS, type Door, type JoineryProps } from './stack/props.ts';

export type { AlarmLimits, Door, JoineryProps, ScheduleProps } from './stack/props.ts';

/** Letters and digits, and enough of them that nobody tries them all. */
const UNGUESSABLE = /^[A-Za-z0-9]{24,128}$/;

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
    check(props, door);
    const deployment = new Deployment(this, 'Deployment', decidedBy(props, door));
    const { httpApi, functionUrl } = deployment.webhookUrls;
    this.webhookUrl = httpApi ?? functionUrl;
    this.nodeRoleArn = deployment.nodeRoleArn;
    if (this.webhookUrl) new CfnOutput(this, 'WebhookUrl', { value: this.webhookUrl });
    new CfnOutput(this, 'NodeRoleArn', { value: this.nodeRoleArn });
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
  eventBus: Boolean(settings[SETTINGS.eventBus.name]),
});

/** Throws for what CloudFormation would refuse late, or not at all. */
function check({ clusterName, webhookPath, vpc, consolidateSchedules }: JoineryProps, door: Door) {
  if (clusterName === '') throw new Error("Joinery's clusterName is empty: name the EKS cluster");
  if (door !== 'none' && !UNGUESSABLE.test(webhookPath ?? '')) {
    throw new Error(
      `Joinery's webhookPath is ${webhookPath === undefined ? 'missing' : 'not one'}: give 24 letters and digits or more that nobody can guess, for instance what \`openssl rand -hex 20\` prints, or choose door: 'none'`,
    );
  }
  if (vpc && (vpc.subnetIds.length === 0 || vpc.securityGroupIds.length === 0)) {
    throw new Error(
      "Joinery's vpc needs subnetIds and securityGroupIds, one of each or more; leave vpc out to run outside of it",
    );
  }
  if (consolidateSchedules?.length === 0) {
    throw new Error(
      "Joinery's consolidateSchedules are none: give one or more, or leave them out for each minute; a NodePool's budgets or windows keep it from being consolidated",
    );
  }
}

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
