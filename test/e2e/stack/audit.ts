import { readFileSync } from 'node:fs';
import type { ControlPlane } from './control-plane.ts';

/** A call of Joinery as the API server's audit log has it. */
export interface AuditedCall {
  /** get, list, watch, create, patch, delete … */
  readonly verb: string;
  readonly group: string;
  /** With its subresource: pods/eviction. Empty where it was no resource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  /** In milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Every call that Joinery has made of this cluster, in the order in which they ended. */
export const auditedCalls = (plane: ControlPlane): readonly AuditedCall[] =>
  readFileSync(plane.auditLog, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => {
      const { verb, objectRef = {}, responseStatus = {}, ...others } = JSON.parse(line);
      const { apiGroup = '', resource = '', subresource, namespace = '', name = '' } = objectRef;
      return {
        verb,
        group: apiGroup,
        resource: subresource === undefined ? resource : `${resource}/${subresource}`,
        namespace,
        name,
        status: responseStatus.code ?? 0,
        receivedAt: Date.parse(others.requestReceivedTimestamp),
      };
    });
