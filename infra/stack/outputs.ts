import { Aws, CfnOutput, Fn } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { type Choice, either } from './choice.ts';
import type { Deployment } from './deployment.ts';

/** What a deployment tells whoever deploys it, the next step first. */
export function tellOutputs(scope: Construct, deployment: Deployment): void {
  const { webhook, nodeRoleName, dashboardName, queues, functions } = deployment;
  const tell = (name: string, description: string, value: string, when: Choice = true): void => {
    if (when === false) return;
    const condition = typeof when === 'object' ? { condition: when } : {};
    new CfnOutput(scope, name, { value, description, ...condition });
  };
  tell(
    'NextStep',
    'What to type now; then apply an EC2NodeClass with this role, and a NodePool.',
    either(webhook.isOpen, `${INSTALL} --webhook-url ${webhook.url}`, `${INSTALL}  # ${NO_DOOR}`),
  );
  tell(
    'WebhookUrl',
    "What the cluster's webhook calls; keep it secret.",
    webhook.url,
    webhook.isOpen,
  );
  tell('NodeRole', 'The role of nodes: give it to EC2NodeClasses as spec.role.', nodeRoleName);
  tell(
    'DashboardUrl',
    'Is it well, what does it cost, what did it just do.',
    pageOf(dashboardName),
  );
  const log = functions.provision.logGroup.ref;
  tell('Log', 'What provision does, a line for each look.', `aws logs tail ${log} --follow`);
  tell('HintQueueUrl', 'Messages that ask provision for a look.', queues.hints.ref);
  tell('InterruptionQueueUrl', 'What EC2 announces.', queues.interruptions.ref);
}

/** In a checkout the command runs by its script, in a project that installed it by itself. */
const INSTALL = `${import.meta.url.endsWith('.ts') ? 'npm run joinery --' : 'npx joinery'} install`;
const NO_DOOR = 'no webhook: pending pods are found within a minute';

/** Source: CloudWatch's console; the suffix differs in other partitions. */
const pageOf = (dashboardName: string): string =>
  Fn.join('', [
    `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}`,
    `#dashboards/dashboard/${dashboardName}`,
  ]);
