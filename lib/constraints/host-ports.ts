/** A port of the node itself that a pod takes. `ip` is '0.0.0.0' where the pod names none. */
export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}
