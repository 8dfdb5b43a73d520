/**
 * The CDK app of this checkout: `npm run cdk -- deploy -c ClusterName=shop -c WebhookPath=…`, with
 * whatever else infra/PARAMETERS.md names. A stack of your own takes the construct instead:
 * `import { Joinery } from 'joinery'`.
 */
import { App, Stack } from 'aws-cdk-lib/core';
import { Joinery, type JoineryProps } from './joinery.ts';
import { propsOf } from './parameters/props.ts';

/** What is refused is told to a person, who has no use for where it was thrown. */
function chosen(given: Readonly<Record<string, unknown>>): JoineryProps {
  try {
    return propsOf(given);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

const app = new App();
const props = chosen(app.node.getAllContext());
// The name of a stack may not hold what that of a cluster may.
const stack = new Stack(app, `joinery-${props.clusterName.replaceAll('_', '-')}`, {
  description: `Joinery: nodes for the EKS cluster ${props.clusterName}`,
});
new Joinery(stack, 'Joinery', props);
