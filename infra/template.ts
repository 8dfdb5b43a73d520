import {
  App,
  Aws,
  CfnCondition,
  type CfnElement,
  CfnParameter,
  Fn,
  type ICfnConditionExpression,
  Stack,
  Validations,
} from 'aws-cdk-lib/core';
import { SETTINGS } from '#lib/runtime/settings-table.ts';
import { BUNDLES } from './bundle.ts';
import type { Parameter } from './parameters/parameter.ts';
import { PARAMETERS, SETTING_PARAMETERS } from './parameters/table.ts';
import { samText } from './sam.ts';
import { type Decided, Deployment } from './stack/deployment.ts';
import type { CodeOf } from './stack/joinery-function.ts';
import { tellOutputs } from './stack/outputs.ts';

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

type Name = keyof typeof PARAMETERS;

/** Resources are named by where they stand, for people read this template. */
class TemplateStack extends Stack {
  constructor(app: App, id: string) {
    super(app, id, {
      description: 'Joinery: nodes for an EKS cluster, with nothing running in it',
      analyticsReporting: false,
    });
    Validations.of(this).acknowledge(...UNDER_CONDITIONS);
    const clusterName = this.text('clusterName');
    const chosen = {
      ...this.door(),
      ...this.surroundings(clusterName),
      ...this.habits(),
      settings: this.settings(),
    };
    const deployment = new Deployment(this, ROOT, {
      code: inFolder,
      clusterName,
      ...chosen,
      eventBus: this.bus(chosen.settings[SETTINGS.eventBus.name] ?? ''),
    });
    tellOutputs(this, deployment);
  }

  protected override allocateLogicalId(element: CfnElement): string {
    const [, ...path] = element.node.path.split('/');
    return path.filter((part) => part !== ROOT).join('');
  }

  private text(name: Name): string {
    return new CfnParameter(this, PARAMETERS[name].name, declared(PARAMETERS[name])).valueAsString;
  }

  private number(name: Name): number {
    return new CfnParameter(this, PARAMETERS[name].name, declared(PARAMETERS[name])).valueAsNumber;
  }

  private flag(name: Name): CfnCondition {
    const text = this.text(name);
    return this.when(`${PARAMETERS[name].name}IsTrue`, Fn.conditionEquals(text, 'true'));
  }

  private when(name: string, expression: ICfnConditionExpression): CfnCondition {
    return new CfnCondition(this, name, { expression });
  }

  private settings(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(SETTING_PARAMETERS).map(([setting, parameter]) => [
        setting,
        new CfnParameter(this, parameter.name, declared(parameter)).valueAsString,
      ]),
    );
  }

  /** The bus is named, or given by its ARN, of which the first part is `arn`. */
  private bus(bus: string): Decided['eventBus'] {
    const first = Fn.select(0, Fn.split(':', bus));
    const byArn = this.when('NamesBusByArn', Fn.conditionEquals(first, 'arn'));
    const parts = [Aws.PARTITION, 'events', Aws.REGION, Aws.ACCOUNT_ID, 'event-bus'];
    const named = `${Fn.join(':', ['arn', ...parts])}/${bus}`;
    return {
      tell: this.when('TellsBus', isGiven(bus)),
      arn: Fn.conditionIf(byArn.logicalId, bus, named).toString(),
    };
  }

  /** Without a path that nobody can guess there is no door, whichever is chosen. */
  private door(): Pick<Decided, 'webhookPath' | 'doors'> {
    const [door, webhookPath] = [this.text('webhookDoor'), this.text('webhookPath')];
    const isOpen = (kind: string) =>
      Fn.conditionAnd(Fn.conditionEquals(door, kind), isGiven(webhookPath));
    return {
      webhookPath,
      doors: {
        httpApi: this.when('DoorIsHttpApi', isOpen('http-api')),
        functionUrl: this.when('DoorIsFunctionUrl', isOpen('function-url')),
      },
    };
  }

  private surroundings(
    clusterName: string,
  ): Pick<Decided, 'vpc' | 'nodeRole' | 'accessEntries' | 'spotServiceLinkedRole'> {
    const [subnets, securityGroups] = [this.text('subnetIds'), this.text('securityGroupIds')];
    const role = this.text('nodeRoleName');
    return {
      vpc: {
        choice: this.when('IsInVpc', isGiven(subnets)),
        subnetIds: Fn.split(',', subnets),
        securityGroupIds: Fn.split(',', securityGroups),
      },
      nodeRole: {
        make: this.when('MakesNodeRole', Fn.conditionEquals(role, '')),
        made: Fn.join('-', ['JoineryNodeRole', clusterName]),
        given: role,
      },
      accessEntries: this.flag('createAccessEntries'),
      spotServiceLinkedRole: this.flag('createSpotServiceLinkedRole'),
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
    const address = this.text('alarmEmail');
    return {
      consolidateSchedules: [
        {
          expression: this.text('consolidateSchedule'),
          timeZone: this.text('consolidateTimeZone'),
        },
      ],
      driftSchedule: {
        expression: this.text('driftSchedule'),
        timeZone: this.text('driftTimeZone'),
      },
      alarmEmail: { tell: this.when('TellsOfAlarms', isGiven(address)), address },
      alarms: {
        nodes: this.number('nodesAlarm'),
        usdPerHour: this.number('usdPerHourAlarm'),
        newNodeClaims: this.number('newNodeClaimsAlarm'),
      },
      memoryMegabytes: {
        provision: this.number('provisionMemory'),
        consolidate: this.number('consolidateMemory'),
        drift: this.number('driftMemory'),
        interrupt: this.number('interruptMemory'),
        admit: this.number('admitMemory'),
      },
      logRetentionDays: this.number('logRetentionDays'),
    };
  }
}

/** A parameter as a template declares it, with the sentence that CloudFormation says of a bad value. */
function declared({ says, fallback, pattern, expected, choices, range }: Parameter) {
  const isNumber = range !== undefined || choices?.every((each) => /^\d+$/.test(each));
  return {
    description: says,
    ...(fallback !== undefined && { default: fallback }),
    ...(isNumber && { type: 'Number' }),
    ...(range && { minValue: range.least }),
    ...(range?.most !== undefined && { maxValue: range.most }),
    ...(choices && { allowedValues: [...choices] }),
    ...(!isNumber && !choices && { allowedPattern: patternOf(pattern, fallback) }),
    constraintDescription: `must be ${expected}.`,
  };
}

/** A default that the pattern does not know is good, too. */
const patternOf = (pattern: RegExp, fallback: string | undefined): string =>
  fallback === undefined || pattern.test(fallback) ? pattern.source : `^$|${pattern.source}`;

const isGiven = (parameter: string): ICfnConditionExpression =>
  Fn.conditionNot(Fn.conditionEquals(parameter, ''));

/** What is said of values that stand under conditions, and are never deployed like that. */
const UNDER_CONDITIONS = ['F3031', 'E1150', 'W1001'].map((id) => ({
  id: `CloudFormation-Validate::${id}`,
  reason: 'a list that is not empty, or a door that is there, is asked for before it is used',
}));

/** The construct that does not show in the names of resources. */
const ROOT = 'Joinery';

/** A folder beside the template, which `sam deploy` uploads. */
const inFolder: CodeOf = (_scope, name) => ({ zipFile: `../${BUNDLES}/${name}` });
