import { parse, stringify, TomlDate, type TomlTable, type TomlValue } from 'smol-toml';
import { compareText } from '#lib/constraints/order.ts';
import { softGracePeriods } from '#lib/ec2/kubelet/kubelet-flags.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { KUBERNETES_SETTINGS } from './bottlerocket-keys.ts';
import { bindsByItself } from './bottlerocket-version.ts';
import {
  kubeletOf,
  maxPodsOf,
  type NodeIdentity,
  registrationLabels,
  registrationTaints,
} from './node-identity.ts';

/** Why a user's settings cannot be used, as the end of a sentence about them. */
export interface BadSettings {
  readonly problem: string;
}

/** The command that joins the local disks; its name puts it before the user's own. */
const MOUNT_COMMAND = '000-mount-instance-storage';
const BOUND_FOLDERS = ['/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];

/**
 * The settings by which a Bottlerocket instance becomes a node, as TOML: the user's own, and over
 * them what Joinery decides. Labels are merged; taints and what kubelet is told are replaced.
 *
 * Settings of Kubernetes that upstream's provider does not know are left out, as it does.
 *
 * Source: karpenter AWS provider v1.14, providers/amifamily/bootstrap/bottlerocket.go and
 * bottlerocketsettings.go; bottlerocket, settings.kubernetes.
 */
export function bottlerocketSettings(identity: NodeIdentity): string | BadSettings {
  const own = readSettings(identity.nodeClass.spec.userData ?? '');
  if ('problem' in own) return own;
  const { settings, kubernetes, labels, commands } = own;
  return stringify(
    {
      settings: {
        ...settings,
        ...mounting(identity.nodeClass, commands),
        kubernetes: {
          ...kubernetes,
          ...clusterSettings(identity),
          ...kubeletSettings(identity),
          'node-labels': { ...labels, ...Object.fromEntries(registrationLabels(identity)) },
          'node-taints': taintSettings(identity),
        },
      },
    },
    { numbersAsFloat: true },
  );
}

/** Why a NodeClass's user data cannot be Bottlerocket's settings; undefined where it can. */
export function bottlerocketProblem(userData: string): string | undefined {
  const own = readSettings(userData);
  return 'problem' in own ? own.problem : undefined;
}

/** Settings of the user's that are not passed on, sorted; none where they cannot be read. */
export function droppedSettings(userData: string): readonly string[] {
  const own = readSettings(userData);
  return 'problem' in own ? [] : own.dropped;
}

interface OwnSettings {
  readonly settings: Table;
  readonly kubernetes: Table;
  readonly labels: Table;
  readonly commands: Table;
  readonly dropped: readonly string[];
}
type Table = Readonly<TomlTable>;

function readSettings(userData: string): OwnSettings | BadSettings {
  const document = parsed(userData);
  if ('problem' in document) return document;
  const settings = tableAt(document.table, 'settings');
  const written = settings && tableAt(settings, 'kubernetes');
  const labels = written && tableAt(written, 'node-labels');
  const commands = settings && tableAt(settings, 'bootstrap-commands');
  if (!(settings && written && labels && commands)) {
    return {
      problem:
        'must hold settings, settings.kubernetes, settings.kubernetes.node-labels and settings.bootstrap-commands as tables, where it has them',
    };
  }
  const isKnown = ([name]: readonly [string, unknown]): boolean => KUBERNETES_SETTINGS.has(name);
  const unknown = Object.entries(written).filter((entry) => !isKnown(entry));
  return {
    settings,
    kubernetes: Object.fromEntries(Object.entries(written).filter(isKnown)),
    labels,
    commands,
    dropped: unknown.map(([name]) => `settings.kubernetes.${name}`).sort(compareText),
  };
}

function parsed(userData: string): { readonly table: Table } | BadSettings {
  try {
    // Integers of 64 bits and floats without a fraction both come back as they were written.
    return { table: parse(userData, { integersAsBigInt: true, unsafeKeyBehaviour: 'throw' }) };
  } catch (error) {
    const [because = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return { problem: `is not TOML: ${because.replace(/^Invalid TOML document: /, '')}` };
  }
}

/** A table of a table, empty where there is none; undefined where something else stands there. */
function tableAt(table: Table, name: string): Table | undefined {
  const value = table[name];
  if (value === undefined) return {};
  return isTable(value) ? value : undefined;
}

const isTable = (value: TomlValue): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);

const clusterSettings = ({ settings }: NodeIdentity): Table => ({
  'api-server': settings.clusterEndpoint,
  'cluster-certificate': settings.clusterCa,
  'cluster-name': settings.clusterName,
});

/** What kubelet is told, of what the NodeClass and the cluster say; the rest is the user's own. */
function kubeletSettings(identity: NodeIdentity): Table {
  const kubelet = kubeletOf(identity);
  const told: Readonly<Record<string, TomlValue | undefined>> = {
    'cluster-dns-ip': kubelet.clusterDNS?.[0],
    'max-pods': BigInt(maxPodsOf(identity)),
    'system-reserved': sorted(kubelet.systemReserved),
    'kube-reserved': sorted(kubelet.kubeReserved),
    'eviction-hard': sorted(kubelet.evictionHard),
    'eviction-soft': sorted(kubelet.evictionSoft),
    'eviction-soft-grace-period': sorted(softGracePeriods(kubelet)),
    'eviction-max-pod-grace-period': whole(kubelet.evictionMaxPodGracePeriod),
    'image-gc-high-threshold-percent': whole(kubelet.imageGCHighThresholdPercent)?.toString(),
    'image-gc-low-threshold-percent': whole(kubelet.imageGCLowThresholdPercent)?.toString(),
    'cpu-cfs-quota-enforced': kubelet.cpuCFSQuota,
  };
  const given: Record<string, TomlValue> = {};
  for (const [name, value] of Object.entries(told)) if (value !== undefined) given[name] = value;
  return given;
}

const sorted = (
  entries: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined =>
  entries && Object.fromEntries(Object.entries(entries).sort(([a], [b]) => compareText(a, b)));

const whole = (amount: number | undefined): bigint | undefined =>
  amount === undefined ? undefined : BigInt(amount);

/** By key, sorted; one key may be there with several effects. */
function taintSettings({ claim }: NodeIdentity): Table {
  const byKey = Map.groupBy(registrationTaints(claim), ({ key }) => key);
  const entries = [...byKey].sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(
    entries.map(([key, taints]) => [key, taints.map(({ value, effect }) => `${value}:${effect}`)]),
  );
}

/** The start-up commands, where there are any: the user's, and the one that joins local disks. */
function mounting(nodeClass: NodeClass, own: Table): Table {
  const isStriped = nodeClass.spec.instanceStorePolicy === 'RAID0';
  if (!isStriped) return Object.keys(own).length === 0 ? {} : { 'bootstrap-commands': own };
  const folders = bindsByItself(nodeClass) ? [] : ['--dirs', ...BOUND_FOLDERS];
  const mount: TomlTable = {
    commands: [
      ['apiclient', 'ephemeral-storage', 'init'],
      ['apiclient', 'ephemeral-storage', 'bind', ...folders],
    ],
    mode: 'always',
    essential: true,
  };
  return { 'bootstrap-commands': { ...own, [MOUNT_COMMAND]: mount } };
}
