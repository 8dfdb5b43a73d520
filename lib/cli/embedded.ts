import { createConsolidate } from '#functions/consolidate/consolidate.ts';
import { createDrift } from '#functions/drift/drift.ts';
import { createInterrupt } from '#functions/interrupt/interrupt.ts';
import { createAdmission } from '#functions/provision/admission.ts';
import { createProvision } from '#functions/provision/provision.ts';
import { typedCall } from '#lib/aws/calls/call.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { withPatience } from '#lib/kube/patience.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { Settings } from '#lib/runtime/settings.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import type { FunctionPorts } from '#lib/sim/stack.ts';

/** The functions of Joinery, as they are deployed anywhere, over one embedded sandbox's ports. */
export const connectEmbedded = embeddedWith({});

/** The same with other settings than the defaults. */
export function embeddedWith(cluster: Partial<ClusterSettings>, others: OtherSettings = {}) {
  return (ports: FunctionPorts) => connectIn(ports, cluster, others);
}

type OtherSettings = Pick<Settings, 'eventBus'>;

function connectIn(
  ports: FunctionPorts,
  settings: Partial<ClusterSettings>,
  others: OtherSettings,
) {
  const shell: Shell = {
    kube: withPatience(ports.kube, ports.sleep),
    aws: typedCall(ports.aws),
    now: ports.now,
    sleep: ports.sleep,
    events: createEventMemory(),
    log: ports.log,
    settings: {
      cluster: {
        ...ports.cluster,
        minValuesPolicy: 'Strict',
        preferencePolicy: 'Respect',
        vmMemoryOverheadPercent: 0.075,
        ...settings,
      },
      hintQueueUrl: ports.hintQueueUrl,
      identity: ports.sandboxId,
      ...others,
    },
  };
  return {
    provision: createProvision(shell),
    admit: createAdmission(shell),
    consolidate: createConsolidate(shell),
    drift: createDrift(shell),
    interrupt: createInterrupt(shell),
  };
}
