import {
  App,
  CfnCondition,
  type CfnElement,
  CfnOutput,
  CfnParameter,
  type CfnParameterProps,
  Fn,
  type ICfnConditionExpression,
  Stack,
  Validations,
} from 'aws-cdk-lib/core';
import { SETTINGS } from '#lib/runtime/settings-table.ts';
import { BUNDLES, type BundleName } from './bundle.ts';
import { samText } from './sam.ts';
import type { Choice } from './stack/choice.ts';
import { type Decided, Deployment } from './stack/deployment.ts';
import type { CodeOf } from './stack/joinery-function.ts';
import { DEFAULTS, type ScheduleProps } from './stack/props.ts';
import { settingParameters } from './stack/setting-parameters.ts';

/**
 * The SAM template, as the text of infra/template.yaml: the definition of the CDK construct, its
 * choices left to parameters, its code in the folders that `npm run build` makes.
 */
export function samTemplate(): string {
  const app = new App({ analyticsReporting: false });
  const stack = new TemplateStack(app, 'Template');
  const { template } = app.synth().getStackByName(stack.stackName);
  return samText(template);
}

/** Resources are named by where they stand, for people read this template. */
class TemplateStack extends Stack {
  constructor(app: App, id: string) {
    super(app, id, {
      description: 'Joinery: nodes for an EKS cluster, with nothing running in it',
      analyticsReporting: false,
    });
    Validations.of(this).acknowledge(...EMPTY_LISTS);
    const clusterName = this.text('ClusterName', {
      description: 'The EKS cluster, in this region and account, that nodes are made for.',
      allowedPattern: SETTINGS.clusterName.pattern.source,
    });
    const door = this.door();
    const settings = settingParameters(this);
    const deployment = new Deployment(this, ROOT, {
      code: inFolder,
      clusterName,
      ...door,
      ...this.surroundings(clusterName),
      ...this.habits(),
      settings,
      eventBus: this.given('TellsBus', settings[SETTINGS.eventBus.name] ?? ''),
    });
    this.tell(deployment, door.doors);
  }

  protected override allocateLogicalId(element: CfnElement): string {
    const [, ...path] = element.node.path.split('/');
    return path.filter((part) => part !== ROOT).join('');
  }

  private text(name: string, props: CfnParameterProps): string {
    return new CfnParameter(this, name, props).valueAsString;
  }

  private number(
    name: string,
    fallback: number,
    description: string,
    limits: Pick<CfnParameterProps, 'minValue' | 'allowedValues'> = { minValue: 0 },
  ): number {
    const props = { type: 'Number', default: String(fallback), description, ...limits };
    return new CfnParameter(this, name, props).valueAsNumber;
  }

  /** A list as one text, for CloudFormation would judge the empty default of a list by its items. */
  private list(
    name: string,
    description: string,
  ): { isEmpty: ICfnConditionExpression; items: string[] } {
    const text = this.text(name, { default: '', description });
    return { isEmpty: Fn.conditionEquals(text, ''), items: Fn.split(',', text) };
  }

  private flag(name: string, fallback: boolean, description: string): CfnCondition {
    const props = { allowedValues: ['true', 'false'], default: String(fallback), description };
    return this.when(`${name}IsTrue`, Fn.conditionEquals(this.text(name, props), 'true'));
  }

  private when(name: string, expression: ICfnConditionExpression): CfnCondition {
    return new CfnCondition(this, name, { expression });
  }

  private given(name: string, parameter: string): CfnCondition {
    return this.when(name, Fn.conditionNot(Fn.conditionEquals(parameter, '')));
  }

  private door(): Pick<Decided, 'webhookPath' | 'doors'> {
    const door = this.text('WebhookDoor', {
      allowedValues: ['http-api', 'function-url', 'none'],
      default: DEFAULTS.door,
      description:
        'How the cluster asks for a look: an HTTP API with throttling, a function URL (cheaper, without), or none where the control plane cannot reach public addresses.',
    });
    return {
      webhookPath: this.text('WebhookPath', {
        allowedPattern: '[A-Za-z0-9]{24,128}',
        description:
          "The part of the webhook's address that nobody can guess, as `openssl rand -hex 20` prints it.",
      }),
      doors: {
        httpApi: this.when('DoorIsHttpApi', Fn.conditionEquals(door, 'http-api')),
        functionUrl: this.when('DoorIsFunctionUrl', Fn.conditionEquals(door, 'function-url')),
      },
    };
  }

  private surroundings(
    clusterName: string,
  ): Pick<Decided, 'vpc' | 'nodeRole' | 'accessEntries' | 'spotServiceLinkedRole'> {
    const subnets = this.list(
      'SubnetIds',
      "Comma-separated: subnets of the cluster's VPC for the functions, for a cluster whose endpoint is private; outside of it where empty.",
    );
    const securityGroups = this.list(
      'SecurityGroupIds',
      "Comma-separated: security groups of the functions there, which the cluster's own must let in.",
    );
    const role = this.text('NodeRoleName', {
      default: '',
      description:
        'A role that nodes have already, and may join with. Empty: JoineryNodeRole-<cluster> is made, and an instance profile of that name; both outlive the stack.',
    });
    const inVpc = this.when('IsInVpc', Fn.conditionNot(subnets.isEmpty));
    const makes = this.when('MakesNodeRole', Fn.conditionEquals(role, ''));
    const made = Fn.join('-', ['JoineryNodeRole', clusterName]);
    return {
      vpc: {
        choice: inVpc,
        subnetIds: subnets.items,
        securityGroupIds: securityGroups.items,
      },
      nodeRole: { make: makes, made, given: role },
      accessEntries: this.flag(
        'CreateAccessEntries',
        true,
        'Whether EKS is told to let the functions in, and the nodes where their role is made; needs the authentication mode API or API_AND_CONFIG_MAP.',
      ),
      spotServiceLinkedRole: this.flag(
        'CreateSpotServiceLinkedRole',
        false,
        "Whether the account's service-linked role for spot is made; an account has one at most.",
      ),
    };
  }

  private habits(): Omit<
    Decided,
    | 'code'
    | 'clusterName'
    | 'settings'
    | 'eventBus'
    | keyof ReturnType<TemplateStack['door']>
    | keyof ReturnType<TemplateStack['surroundings']>
  > {
    const email = this.text('AlarmEmail', {
      default: '',
      description: 'Who is told of alarms; nobody where empty.',
    });
    const { alarms, memoryMegabytes: megabytes } = DEFAULTS;
    return {
      consolidateSchedules: [this.schedule('Consolidate', DEFAULTS.consolidateSchedule)],
      driftSchedule: this.schedule('Drift', DEFAULTS.driftSchedule),
      alarmEmail: {
        tell: this.given('TellsOfAlarms', email),
        address: email,
      },
      alarms: {
        nodes: this.number('NodesAlarm', alarms.nodes, 'More nodes than this ring an alarm.'),
        usdPerHour: this.number(
          'UsdPerHourAlarm',
          alarms.usdPerHour,
          'Nodes that cost more USD an hour than this ring an alarm.',
        ),
        newNodeClaims: this.number(
          'NewNodeClaimsAlarm',
          alarms.newNodeClaims,
          'More NodeClaims than this, made within ten minutes, ring an alarm.',
        ),
      },
      memoryMegabytes: {
        provision: this.memory('provision', megabytes.provision),
        consolidate: this.memory('consolidate', megabytes.consolidate),
        drift: this.memory('drift', megabytes.drift),
        interrupt: this.memory('interrupt', megabytes.interrupt),
        admit: this.memory('admit', megabytes.admit),
      },
      logRetentionDays: this.number(
        'LogRetentionDays',
        DEFAULTS.logRetentionDays,
        'For how many days logs are kept.',
        { allowedValues: RETENTIONS },
      ),
    };
  }

  private memory(name: BundleName, fallback: number): number {
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    return this.number(
      `${title}Memory`,
      fallback,
      `MB of memory of ${name}, and so its share of a processor: 1769 are one core.`,
      { minValue: 128 },
    );
  }

  private schedule(name: string, { expression, timeZone }: Required<ScheduleProps>): ScheduleProps {
    return {
      expression: this.text(`${name}Schedule`, {
        default: expression,
        description: `When ${name.toLowerCase()} looks: rate(5 minutes), or cron(0/5 2-5 ? * SAT *) for each five minutes of a window.`,
      }),
      timeZone: this.text(`${name}TimeZone`, {
        default: timeZone,
        description: `The time zone of ${name}Schedule, such as Europe/Berlin.`,
      }),
    };
  }

  private tell({ webhookUrls, nodeRoleName, queues }: Deployment, doors: Decided['doors']): void {
    const tell = (name: string, description: string, value: string, when?: Choice) => {
      const condition = typeof when === 'object' ? { condition: when } : {};
      return new CfnOutput(this, name, { value, description, ...condition });
    };
    tell('WebhookUrl', NEXT_STEP, webhookUrls.httpApi ?? '', doors.httpApi);
    tell('WebhookFunctionUrl', NEXT_STEP, webhookUrls.functionUrl ?? '', doors.functionUrl);
    tell('NodeRole', 'The role of nodes: give it to EC2NodeClasses as spec.role.', nodeRoleName);
    tell('HintQueueUrl', 'Messages that ask provision for a look.', queues.hints.ref);
    tell('InterruptionQueueUrl', 'What EC2 announces.', queues.interruptions.ref);
  }
}

const NEXT_STEP =
  'Next: npm run joinery -- install --webhook-url with this address, which applies what stands in the cluster.';

/** What is said of the empty default of the VPC's lists, which is never deployed. */
const EMPTY_LISTS = ['F3031', 'E1150'].map((id) => ({
  id: `CloudFormation-Validate::${id}`,
  reason: 'the list stands under a condition that it is not empty',
}));

/** Source: CloudWatch Logs API, PutRetentionPolicy. */
const RETENTIONS = ['1', '3', '5', '7', '14', '30', '60', '90', '120', '150', '180', '365', '400'];

/** The construct that does not show in the names of resources. */
const ROOT = 'Joinery';

/** A folder beside the template, which `sam deploy` uploads. */
const inFolder: CodeOf = (_scope, name) => ({ zipFile: `../${BUNDLES}/${name}` });
