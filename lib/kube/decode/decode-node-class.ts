import type {
  BlockDeviceMapping,
  CapacityReservationSelectorTerm,
  ConnectionTracking,
  CpuOptions,
  MetadataOptions,
  NetworkInterface,
  NodeClass,
  PlacementGroupSelector,
  SelectorTerm,
} from '#lib/model/node-class.ts';
import { decodeKubelet } from './decode-kubelet.ts';
import { decodeMeta, texts } from './decode-meta.ts';
import { decodeNodeClassStatus } from './decode-node-class-status.ts';
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
import { flag, integer, numberOrText, oneOf, text, textMap } from './scalar.ts';

/** An EC2NodeClass, with the CRD's defaults. Throws DecodeError. */
export function decodeNodeClass(value: unknown): NodeClass {
  const body = wire(value);
  const meta = decodeMeta(body);
  return {
    meta,
    spec: required(body, 'spec', (spec) => decodeSpec(wire(spec))),
    wire: required(body, 'spec', wire),
    status: grouped(body, 'status', (status) => decodeNodeClassStatus(status, meta)),
  };
}

const decodeSpec = (spec: Wire): NodeClass['spec'] => ({
  subnetSelectorTerms: list(spec, 'subnetSelectorTerms', decodeSelectorTerm),
  securityGroupSelectorTerms: list(spec, 'securityGroupSelectorTerms', decodeSelectorTerm),
  amiSelectorTerms: list(spec, 'amiSelectorTerms', decodeSelectorTerm),
  capacityReservationSelectorTerms: list(
    spec,
    'capacityReservationSelectorTerms',
    decodeReservationTerm,
  ),
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
    networkInterfaces: optional(spec, 'networkInterfaces', listOf(decodeNetworkInterface)),
    placementGroupSelector: optional(spec, 'placementGroupSelector', decodePlacementGroupSelector),
    ipPrefixCount: optional(spec, 'ipPrefixCount', integer),
    connectionTracking: optional(spec, 'connectionTracking', decodeConnectionTracking),
    cpuOptions: optional(spec, 'cpuOptions', decodeCpuOptions),
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

const matchCriteria = oneOf('open', 'targeted');

const decodeReservationTerm: Decoder<CapacityReservationSelectorTerm> = (value) => {
  const term = wire(value);
  return present({
    tags: optional(term, 'tags', textMap),
    id: optional(term, 'id', text),
    ownerID: optional(term, 'ownerID', text),
    instanceMatchCriteria: optional(term, 'instanceMatchCriteria', matchCriteria),
  });
};

const decodePlacementGroupSelector: Decoder<PlacementGroupSelector> = (value) => {
  const selector = wire(value);
  return present({
    name: optional(selector, 'name', text),
    id: optional(selector, 'id', text),
  });
};

const interfaceType = oneOf('interface', 'efa-only');

const decodeNetworkInterface: Decoder<NetworkInterface> = (value) => {
  const one = wire(value);
  return {
    networkCardIndex: required(one, 'networkCardIndex', integer),
    deviceIndex: required(one, 'deviceIndex', integer),
    interfaceType: required(one, 'interfaceType', interfaceType),
  };
};

const decodeConnectionTracking: Decoder<ConnectionTracking> = (value) => {
  const tracking = wire(value);
  return present({
    tcpEstablishedTimeout: optional(tracking, 'tcpEstablishedTimeout', integer),
    udpStreamTimeout: optional(tracking, 'udpStreamTimeout', integer),
    udpTimeout: optional(tracking, 'udpTimeout', integer),
  });
};

const onOrOff = oneOf('enabled', 'disabled');

const decodeCpuOptions: Decoder<CpuOptions> = (value) =>
  present({ nestedVirtualization: optional(wire(value), 'nestedVirtualization', onOrOff) });

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
