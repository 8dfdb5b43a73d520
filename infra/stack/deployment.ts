import type { CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { Aws, Fn } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { BundleName } from '../bundle.ts';
import { Alarms, type Watched } from './alarms.ts';
import { Announcements } from './announcements.ts';
import { both, type Choice, either, makeIf, oneOrOther } from './choice.ts';
import { Dashboard } from './dashboard.ts';
import { type CodeOf, JoineryFunction, type JoineryFunctionProps } from './joinery-function.ts';
import { AccessEntries, NodeAccess, NodeRole, SpotServiceLinkedRole } from './node-role.ts';
import { Policies } from './policies.ts';
import type { AlarmLimits, ScheduleProps } from './props.ts';
import { Queues } from './queues.ts';
import { Schedules } from './schedules.ts';
import { VpcAccess } from './vpc-access.ts';
import { FunctionUrlDoor, HttpApiDoor } from './webhook-door.ts';

/** Everything that a deployment is made of, each choice taken or left to its parameters. */
export interface Decided {
  readonly code: CodeOf;
  readonly clusterName: string;
  readonly webhookPath: string;
  readonly doors: { readonly httpApi: Choice; readonly functionUrl: Choice };
  /** The lists are read only where it is chosen. */
  readonly vpc: {
    readonly choice: Choice;
    readonly subnetIds: readonly string[];
    readonly securityGroupIds: readonly string[];
  };
  /** Whether the role is made, under which name then, and the name of the one that is there else. */
  readonly nodeRole: { readonly make: Choice; readonly made: string; readonly given: string };
  readonly accessEntries: Choice;
  readonly spotServiceLinkedRole: Choice;
  readonly consolidateSchedules: readonly ScheduleProps[];
  readonly driftSchedule: ScheduleProps;
  readonly alarmEmail: { readonly tell: Choice; readonly address: string };
  readonly alarms: AlarmLimits;
  readonly memoryMegabytes: Readonly<Record<BundleName, number>>;
  readonly logRetentionDays: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the settings name an event bus, and which. */
  readonly eventBus: { readonly tell: Choice; readonly arn: string };
}

/** Time limits; the queues' visibility timeouts are as long, which is the least that Lambda takes. */
const TIMEOUT_SECONDS: Readonly<Record<BundleName, number>> = {
  provision: 60,
  admit: 3,
  consolidate: 60,
  drift: 60,
  interrupt: 30,
};

/** Spot warnings come in storms: those of a second are decided on, and their nodes launched, together. */
const STORM_BATCH = { size: 500, windowSeconds: 1 };

/** The one definition behind both doors: the CDK construct and the SAM template. */
export class Deployment extends Construct {
  /** Where the webhook calls; of no meaning where there is no door. */
  readonly webhook: { readonly isOpen: Choice; readonly url: string };
  readonly nodeRoleName: string;
  readonly nodeRoleArn: string;
  readonly functions: Watched['functions'];
  readonly queues: Queues;
  readonly alarms: Alarms;
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, decided: Decided) {
    super(scope, id);
    const { clusterName } = decided;
    this.queues = new Queues(this, {
      provisionSeconds: TIMEOUT_SECONDS.provision,
      interruptSeconds: TIMEOUT_SECONDS.interrupt,
    });
    const { make, made, given } = decided.nodeRole;
    const role = makeIf(make, () => new NodeRole(this, made))?.role;
    const arn = `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:role/${given}`;
    this.nodeRoleName = either(make, made, given);
    this.nodeRoleArn = either(make, role?.attrArn ?? arn, arn);
    this.functions = this.makeFunctions(decided);
    new Announcements(this, this.queues);
    this.wakeUp(decided);
    this.webhook = this.openDoors(decided);
    this.letIn(decided, role);
    const watched: Watched = {
      clusterName,
      limits: decided.alarms,
      functions: this.functions,
      deadLetterQueues: [this.queues.deadHints, this.queues.deadInterruptions],
    };
    this.alarms = new Alarms(this, watched);
    makeIf(decided.alarmEmail.tell, () => this.tell(decided.alarmEmail.address));
    const logGroupNames = Object.values(this.functions).map(({ logGroup }) => logGroup.ref);
    this.dashboardName = new Dashboard(this, watched, logGroupNames).dashboard.ref;
  }

  private makeFunctions(decided: Decided): Watched['functions'] {
    const { interruptions, hints } = this.queues;
    const policies = new Policies(
      this,
      {
        clusterName: decided.clusterName,
        nodeRoleArn: this.nodeRoleArn,
        hintQueueArn: hints.attrArn,
        eventBusArn: decided.eventBus.arn,
      },
      decided.eventBus.tell,
    );
    const vpcPolicy = this.vpcPolicyArns(decided.vpc.choice);
    const vpc = vpcConfigOf(decided.vpc);
    const common = {
      JOINERY_CLUSTER_NAME: decided.clusterName,
      JOINERY_HINT_QUEUE_URL: hints.ref,
    };
    const make = (name: BundleName, fed: Pick<JoineryFunctionProps, 'queue' | 'batch'> = {}) =>
      new JoineryFunction(this, name, {
        code: decided.code,
        memoryMegabytes: decided.memoryMegabytes[name],
        timeoutSeconds: TIMEOUT_SECONDS[name],
        logRetentionDays: decided.logRetentionDays,
        environment: { ...common, ...decided.settings },
        policyArns: [...policies.of(name), ...vpcPolicy],
        ...(vpc && { vpc }),
        ...fed,
      });
    return {
      provision: make('provision', { queue: hints }),
      consolidate: make('consolidate'),
      drift: make('drift'),
      interrupt: make('interrupt', { queue: interruptions, batch: STORM_BATCH }),
      admit: new JoineryFunction(this, 'admit', {
        code: decided.code,
        memoryMegabytes: decided.memoryMegabytes.admit,
        timeoutSeconds: TIMEOUT_SECONDS.admit,
        logRetentionDays: decided.logRetentionDays,
        environment: { ...common, JOINERY_WEBHOOK_PATH: decided.webhookPath },
        policyArns: policies.of('admit'),
      }),
    };
  }

  private vpcPolicyArns(choice: Choice): readonly string[] {
    const access = makeIf(choice, () => new VpcAccess(this));
    return access ? [either(choice, access.policyArn, Aws.NO_VALUE)] : [];
  }

  private wakeUp({ consolidateSchedules, driftSchedule }: Decided): void {
    const { provision, consolidate, drift } = this.functions;
    new Schedules(this, [
      { id: 'Heartbeat', expression: 'rate(1 minute)', function: provision },
      ...consolidateSchedules.map((schedule, index) => ({
        ...schedule,
        id: index === 0 ? 'Consolidate' : `Consolidate${index + 1}`,
        function: consolidate,
      })),
      { ...driftSchedule, id: 'Drift', function: drift },
    ]);
  }

  private openDoors({ doors, webhookPath }: Decided): Deployment['webhook'] {
    const { admit } = this.functions;
    const httpApi = makeIf(doors.httpApi, () => new HttpApiDoor(this, admit, webhookPath));
    const functionUrl = makeIf(
      doors.functionUrl,
      () => new FunctionUrlDoor(this, admit, webhookPath),
    );
    return {
      isOpen: oneOrOther(this, 'HasDoor', doors.httpApi, doors.functionUrl),
      url: either(doors.httpApi, httpApi?.url ?? '', functionUrl?.url ?? ''),
    };
  }

  private letIn(
    { clusterName, accessEntries, nodeRole, spotServiceLinkedRole }: Decided,
    role: CfnRole | undefined,
  ): void {
    makeIf(spotServiceLinkedRole, () => new SpotServiceLinkedRole(this));
    const { admit: _, ...acting } = this.functions;
    const functionRoleArns = Object.fromEntries(
      Object.entries(acting).map(([name, { role }]) => [name, role.attrArn]),
    );
    makeIf(accessEntries, () => new AccessEntries(this, { clusterName, functionRoleArns }));
    const letsNodesIn = both(this, 'LetsNodesIn', accessEntries, nodeRole.make);
    if (role) makeIf(letsNodesIn, () => new NodeAccess(this, clusterName, role));
  }

  private tell(address: string): CfnSubscription {
    return new CfnSubscription(this, 'AlarmSubscription', {
      topicArn: this.alarms.topic.ref,
      protocol: 'email',
      endpoint: address,
    });
  }
}

/** Within a condition a template's own spelling is wanted, else the construct's. */
function vpcConfigOf({ choice, subnetIds, securityGroupIds }: Decided['vpc']) {
  if (choice === false) return undefined;
  const [SubnetIds, SecurityGroupIds] = [[...subnetIds], [...securityGroupIds]];
  if (choice === true) return { subnetIds: SubnetIds, securityGroupIds: SecurityGroupIds };
  return Fn.conditionIf(choice.logicalId, { SubnetIds, SecurityGroupIds }, Aws.NO_VALUE);
}
