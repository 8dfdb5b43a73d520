/**
 * The CDK app of this checkout: `npm run cdk -- deploy -c cluster=shop -c webhookPath=…`. A stack of
 * your own takes the construct instead: `import { Joinery } from 'joinery'`.
 */
import { App, Stack } from 'aws-cdk-lib/core';
import { Joinery } from './joinery.ts';

const app = new App();
const clusterName: unknown = app.node.tryGetContext('cluster');
const webhookPath: unknown = app.node.tryGetContext('webhookPath');
if (typeof clusterName !== 'string') {
  throw new Error('name the cluster: npm run cdk -- deploy -c cluster=NAME -c webhookPath=…');
}
const stack = new Stack(app, `joinery-${clusterName}`, {
  description: `Joinery: nodes for the EKS cluster ${clusterName}`,
});
new Joinery(stack, 'Joinery', {
  clusterName,
  ...(typeof webhookPath === 'string' && { webhookPath }),
});
