import { CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { allow } from '#lib/aws/policies/statement.ts';
import type { JoineryFunction } from './joinery-function.ts';
import { assumedBy, documentOf } from './policy-document.ts';
import type { ScheduleProps } from './props.ts';

/** Which function a schedule wakes, and when. */
interface Wake extends ScheduleProps {
  readonly id: string;
  readonly function: JoineryFunction;
}

/**
 * Schedules of EventBridge Scheduler, which knows time zones and daylight saving. A run that fails
 * is not repeated: the next one is soon, and looks at everything again.
 */
export class Schedules extends Construct {
  constructor(scope: Construct, wakes: readonly Wake[]) {
    super(scope, 'Schedules');
    const targets = [...new Set(wakes.map((wake) => wake.function.function.attrArn))];
    const role = new CfnRole(this, 'Role', {
      description: "Lets the schedules invoke Joinery's functions.",
      assumeRolePolicyDocument: assumedBy('scheduler.amazonaws.com'),
      policies: [
        {
          policyName: 'invoke',
          policyDocument: documentOf([allow('Invoke', ['lambda:InvokeFunction'], targets)]),
        },
      ],
    });
    for (const wake of wakes) {
      new CfnSchedule(this, wake.id, {
        scheduleExpression: wake.expression,
        scheduleExpressionTimezone: wake.timeZone ?? 'UTC',
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          arn: wake.function.function.attrArn,
          roleArn: role.attrArn,
          retryPolicy: { maximumRetryAttempts: 0 },
        },
      });
    }
  }
}
