import type {
  BlockDeviceMapping,
  KubeletSettings,
  MetadataOptions,
  NodeClass,
  ResolvedAmi,
  SelectorTerm,
} from '#lib/model/node-class.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { decodeConditions, decodeMeta, texts } from './decode-meta.ts';
import {
  type Decoder,
  grouped,
  list,
  listOf,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import {
  flag,
  integer,
  name,
  numberOrText,
  numberOrTextMap,
  oneOf,
  text,
  textMap,
} from './scalar.ts';

/** An EC2NodeClass, with the CRD's defaults. Throws DecodeError. */
export function decodeNodeClass(value: unknown): NodeClass {
  const body = wire(value);
  const meta = decodeMeta(body);
  return {
    meta,
    spec: required(body, 'spec', (spec) => decodeSpec(wire(spec))),
    wire: required(body, 'spec', wire),
    status: grouped(body, 'status', (status) => decodeStatus(status, meta.createdAt)),
  };
}

const decodeSpec = (spec: Wire): NodeClass['spec'] => ({
  subnetSelectorTerms: list(spec, 'subnetSelectorTerms', decodeSelectorTerm),
  securityGroupSelectorTerms: list(spec, 'securityGroupSelectorTerms', decodeSelectorTerm),
  amiSelectorTerms: list(spec, 'amiSelectorTerms', decodeSelectorTerm),
  tags: texts(spec, 'tags'),
  blockDeviceMappings: list(spec, 'blockDeviceMappings', decodeBlockDeviceMapping),
  metadataOptions: grouped(spec, 'metadataOptions', decodeMetadataOptions),
  ...present({
    amiFamily: optional(spec, 'amiFamily', text),
    role: optional(spec, 'role', text),
    instanceProfile: optional(spec, 'instanceProfile', text),
    userData: optional(spec, 'userData', text),
    kubelet: optional(spec, 'kubelet', decodeKubelet),
    instanceStorePolicy: optional(spec, 'instanceStorePolicy', text),
    associatePublicIPAddress: optional(spec, 'associatePublicIPAddress', flag),
    detailedMonitoring: optional(spec, 'detailedMonitoring', flag),
    context: optional(spec, 'context', text),
  }),
});

const decodeSelectorTerm: Decoder<SelectorTerm> = (value) => {
  const term = wire(value);
  return present({
    tags: optional(term, 'tags', textMap),
    id: optional(term, 'id', text),
    name: optional(term, 'name', text),
    owner: optional(term, 'owner', text),
    alias: optional(term, 'alias', text),
    ssmParameter: optional(term, 'ssmParameter', text),
  });
};

const decodeKubelet: Decoder<KubeletSettings> = (value) => {
  const kubelet = wire(value);
  return present({
    clusterDNS: optional(kubelet, 'clusterDNS', listOf(text)),
    maxPods: optional(kubelet, 'maxPods', integer),
    podsPerCore: optional(kubelet, 'podsPerCore', integer),
    systemReserved: optional(kubelet, 'systemReserved', numberOrTextMap),
    kubeReserved: optional(kubelet, 'kubeReserved', numberOrTextMap),
    evictionHard: optional(kubelet, 'evictionHard', numberOrTextMap),
    evictionSoft: optional(kubelet, 'evictionSoft', numberOrTextMap),
    evictionSoftGracePeriod: optional(kubelet, 'evictionSoftGracePeriod', textMap),
    evictionMaxPodGracePeriod: optional(kubelet, 'evictionMaxPodGracePeriod', integer),
    imageGCHighThresholdPercent: optional(kubelet, 'imageGCHighThresholdPercent', integer),
    imageGCLowThresholdPercent: optional(kubelet, 'imageGCLowThresholdPercent', integer),
    cpuCFSQuota: optional(kubelet, 'cpuCFSQuota', flag),
  });
};

const decodeBlockDeviceMapping: Decoder<BlockDeviceMapping> = (value) => {
  const mapping = wire(value);
  return present({
    deviceName: optional(mapping, 'deviceName', text),
    rootVolume: optional(mapping, 'rootVolume', flag),
    ebs: optional(mapping, 'ebs', (found) => {
      const ebs = wire(found);
      return present({
        deleteOnTermination: optional(ebs, 'deleteOnTermination', flag),
        encrypted: optional(ebs, 'encrypted', flag),
        iops: optional(ebs, 'iops', integer),
        kmsKeyID: optional(ebs, 'kmsKeyID', text),
        snapshotID: optional(ebs, 'snapshotID', text),
        throughput: optional(ebs, 'throughput', integer),
        volumeSize: optional(ebs, 'volumeSize', numberOrText),
        volumeType: optional(ebs, 'volumeType', text),
        volumeInitializationRate: optional(ebs, 'volumeInitializationRate', integer),
      });
    }),
  });
};

/** Source of the defaults: karpenter-provider-aws v1.14 CRDs, metadataOptions. */
const decodeMetadataOptions = (options: Wire): MetadataOptions => ({
  httpEndpoint: withDefault(options, 'httpEndpoint', 'enabled', text),
  httpProtocolIPv6: withDefault(options, 'httpProtocolIPv6', 'disabled', text),
  httpPutResponseHopLimit: withDefault(options, 'httpPutResponseHopLimit', 1, integer),
  httpTokens: withDefault(options, 'httpTokens', 'required', text),
});

const decodeStatus = (status: Wire, since: EpochMs): NodeClass['status'] => ({
  subnets: list(status, 'subnets', (value) => {
    const subnet = wire(value);
    return {
      id: required(subnet, 'id', name),
      zone: required(subnet, 'zone', name),
      zoneId: withDefault(subnet, 'zoneID', '', text),
    };
  }),
  securityGroups: list(status, 'securityGroups', (value) => {
    const securityGroup = wire(value);
    return {
      id: required(securityGroup, 'id', name),
      ...present({ name: optional(securityGroup, 'name', text) }),
    };
  }),
  amis: list(status, 'amis', decodeAmi),
  conditions: decodeConditions(status, since),
  ...present({ instanceProfile: optional(status, 'instanceProfile', text) || undefined }),
});

const amiOperator = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist');

const decodeAmi: Decoder<ResolvedAmi> = (value) => {
  const ami = wire(value);
  return {
    id: required(ami, 'id', name),
    name: withDefault(ami, 'name', '', text),
    deprecated: withDefault(ami, 'deprecated', false, flag),
    requirements: list(ami, 'requirements', (found) => {
      const requirement = wire(found);
      return {
        key: required(requirement, 'key', name),
        operator: required(requirement, 'operator', amiOperator),
        ...present({ values: optional(requirement, 'values', listOf(text)) }),
      };
    }),
  };
};
