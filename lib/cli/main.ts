/**
 * The `joinery` command: what Joinery would do, does in its embedded world, and thinks of files.
 * Each command is loaded when it is asked for, so that `plan` does not wait for the simulator.
 */
import { Command, CommanderError, Option } from 'commander';
import { consoleIo } from './io.ts';

/** Wrong usage. Source: the plan format, exit statuses. */
const WRONG_USAGE = 2;

const io = consoleIo();
const collect = (value: string, before: readonly string[]) => [...before, value];
const files = (text: string) =>
  new Option('-f, --filename <path>', text).argParser(collect).default([] as readonly string[]);
const output = () =>
  new Option('-o, --output <format>', 'json for machines, text for people')
    .choices(['json', 'text'])
    .default('text');

const reservedEnis = (text: string) =>
  new Option('--reserved-enis <count>', text).env('JOINERY_RESERVED_ENIS');
const memoryOverhead = (text: string) =>
  new Option('--vm-memory-overhead-percent <share>', text).env(
    'JOINERY_VM_MEMORY_OVERHEAD_PERCENT',
  );

const program = new Command('joinery')
  .description('Node provisioning for Kubernetes on AWS with nothing running in the cluster.')
  .exitOverride()
  .configureOutput({
    writeOut: (text) => io.out(text.trimEnd()),
    writeErr: (text) => io.err(text.trimEnd()),
  });

program
  .command('stories')
  .description('play a story in the embedded world (without arguments, the first)')
  .argument('[story...]', '"story 3", "3" or a name')
  .option('--list', 'list the stories')
  .option('--seed <number>', 'the seed of everything that is left to chance', '1')
  .addOption(files('play these manifests (NodePools and workloads) instead; may be repeated'))
  .addOption(output())
  .action(async (words: string[], options) => {
    const { storiesCommand } = await import('./stories/command.ts');
    process.exitCode = await storiesCommand({ words, ...options, files: options.filename }, io);
  });

program
  .command('plan')
  .description('print what one decision would do with the cluster that the files describe')
  .argument(
    '<decision>',
    'provision, consolidate, drift or interrupt; or launch: what EC2 would be sent for a NodeClaim',
  )
  .addOption(files('a file or folder with objects, as for kubectl; may be repeated'))
  .option('--catalog <path>', 'what EC2 sells; without it, the embedded table')
  .option('--cluster <path>', 'launch: the cluster that the node is to join, as JSON')
  .addOption(reservedEnis('launch: interfaces that are kept from pods'))
  .addOption(memoryOverhead('launch: what the hypervisor keeps, as 0.075'))
  .option('--event <path>', 'interrupt: what EC2 or AWS Health announced, as EventBridge sends it')
  .option('--feature-gates <gates>', 'what is off by default, such as NodeOverlay=true')
  .option('--limit-usd-per-hour <usd>', 'what all nodes together may cost')
  .option('--scheduler-config <path>', 'the spread of pods that ask for none, as for Karpenter')
  .addOption(
    new Option(
      '--disruption-windows <list>',
      'when nodes may be replaced, where NodePools do not say, as YAML',
    ).env('JOINERY_DISRUPTION_WINDOWS'),
  )
  .addOption(
    new Option(
      '--consolidation-move-share <share>',
      'what consolidation must save for each pod that it moves, as 0.5',
    ).env('JOINERY_CONSOLIDATION_MOVE_SHARE'),
  )
  .addOption(
    new Option('--min-values-policy <policy>', 'whether minValues may be lowered')
      .choices(['Strict', 'BestEffort'])
      .default('Strict'),
  )
  .addOption(
    new Option('--preference-policy <policy>', 'whether what pods prefer is regarded')
      .choices(['Respect', 'Ignore'])
      .default('Respect'),
  )
  .option('--now <instant>', 'the instant of the decision, such as 2026-11-20T12:00:00Z')
  .addOption(output())
  .action(async (decision: string, options) => {
    if (decision === 'launch') {
      const { planLaunchCommand } = await import('./plan-launch.ts');
      process.exitCode = await planLaunchCommand({ ...options, files: options.filename }, io);
      return;
    }
    const { planCommand } = await import('./plan.ts');
    process.exitCode = await planCommand({ decision, ...options, files: options.filename }, io);
  });

program
  .command('install')
  .description('put into the cluster of the kubeconfig what Joinery needs there')
  .option('--webhook-url <url>', "the stack's output WebhookUrl; without it, no webhook")
  .option('--bind', 'let Joinery bind pods itself (JOINERY_PLACEMENT=bind)')
  .option('--keep-nominations', 'a default PriorityClass under which pods preempt nobody')
  .option('--dry-run', 'print the manifests instead, for kubectl or a repository')
  .action(async (options) => {
    const { installCommand } = await import('./install/command.ts');
    const { reachCluster: connect } = await import('./install/reach-cluster.ts');
    process.exitCode = await installCommand(options, io, { connect, now: Date.now });
  });

program
  .command('uninstall')
  .description(
    'take out of the cluster of the kubeconfig what install put there; the stack comes last',
  )
  .option('--drain', 'delete all NodePools and wait until their nodes are drained and ended')
  .option('--keep-nodes', 'leave the nodes running, with nothing at which a deletion would hang')
  .option('--hand-over', 'leave the nodes to Karpenter, as it would have made them')
  .option('--timeout-minutes <minutes>', 'how long --drain waits', '30')
  .action(async ({ timeoutMinutes, ...options }) => {
    const { uninstallCommand } = await import('./uninstall/command.ts');
    const { reachCluster: connect } = await import('./install/reach-cluster.ts');
    const { setTimeout: sleep } = await import('node:timers/promises');
    process.exitCode = await uninstallCommand(
      { ...options, timeoutMinutes: Number(timeoutMinutes) },
      io,
      { connect, now: Date.now, sleep },
    );
  });

program
  .command('catalog')
  .description('print the instance types that an EC2NodeClass would offer, for plan --catalog')
  .addOption(files('a file or folder with an EC2NodeClass; without it, AL2023 as it comes'))
  .option('--node-class <name>', 'which one, where the files hold several')
  .option('--instance-types <path>', 'what aws ec2 describe-instance-types printed')
  .option('--offerings <path>', 'what aws ec2 describe-instance-type-offerings printed, by zone')
  .option(
    '--prices <path>',
    'USD an hour: { "onDemand": { type: usd }, "spot": { type: { zone: usd } } }',
  )
  .option('--live', 'ask AWS; without it and recorded answers, the embedded table')
  .option('--region <name>', 'the region; without it, that of the subnets or recorded zones')
  .addOption(
    new Option('--feature-gates <list>', 'such as NodeClassCEL=true').env('JOINERY_FEATURE_GATES'),
  )
  .addOption(reservedEnis('interfaces that are kept from pods'))
  .addOption(memoryOverhead('what the hypervisor keeps, as 0.075'))
  .addOption(output())
  .action(async (options) => {
    const { catalogCommand } = await import('./catalog.ts');
    process.exitCode = await catalogCommand({ ...options, files: options.filename }, io);
  });

program
  .command('validate')
  .description('say whether an API server would accept NodePools, EC2NodeClasses and the like')
  .addOption(files('a file or folder with manifests; may be repeated').makeOptionMandatory())
  .addOption(output())
  .action(async (options) => {
    const { validateCommand } = await import('./validate.ts');
    process.exitCode = await validateCommand(
      { files: options.filename, output: options.output },
      io,
    );
  });

const seconds = (name: string, otherwise: string, text: string) =>
  new Option(`${name} <seconds>`, text).default(otherwise);

program
  .command('local')
  .description("serve the functions from here, for the kubeconfig's cluster, until Ctrl-C")
  .option('--cluster-name <name>', 'the EKS cluster (JOINERY_CLUSTER_NAME)')
  .option('--region <name>', 'its region (AWS_REGION)')
  .option('--endpoint-url <url>', 'what stands in for AWS (AWS_ENDPOINT_URL)')
  .option('--kubeconfig <path>', 'another than kubectl would take (KUBECONFIG)')
  .option('--host <address>', 'where the doors for webhook and events listen', '127.0.0.1')
  .option('--port <number>', 'their port; 0 for any that is free', '8095')
  .option('--tls-cert <path>', 'the certificate that the webhook trusts; without it, plain HTTP')
  .option('--tls-key <path>', 'its key')
  .addOption(seconds('--provision-every', '60', 'the heartbeat'))
  .addOption(seconds('--consolidate-every', '60', 'the schedule of consolidate'))
  .addOption(seconds('--drift-every', '300', 'the schedule of drift'))
  .addOption(output())
  .action(async ({ clusterName, region, endpointUrl, kubeconfig, ...options }) => {
    const { localCommand } = await import('./local/command.ts');
    const told = {
      JOINERY_CLUSTER_NAME: clusterName,
      AWS_REGION: region,
      AWS_ENDPOINT_URL: endpointUrl,
      KUBECONFIG: kubeconfig,
    };
    // Where the SDK and the Kubernetes client look for themselves, they find the same.
    for (const [name, value] of Object.entries(told)) if (value) process.env[name] = value;
    process.exitCode = await localCommand(options, process.env, io, interrupted());
  });

/** Resolves at the first Ctrl-C; the second ends the process as it always does. */
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
}
