import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { requestIdFrom, type Trace, traceparentFrom } from '@boxoffice/runtime';

/** A new traceparent out of a UUID: its digits are the trace id, its last ones the parent id. */
const traceparentOf = (uuid: string): string => {
  const [middle, last] = [uuid.slice(19, 23), uuid.slice(24)];
  return `00-${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(14, 18)}${middle}${last}-${middle}${last}-01`;
};

/** The trace that a request belongs to, from its headers; begun here if they name none that is well-formed. */
export const traceOf = ({ 'x-request-id': requestId, traceparent }: IncomingHttpHeaders): Trace => {
  // Node makes UUIDs in bulk, which costs a tenth of asking for random bytes each time.
  const uuid = randomUUID();
  return {
    requestId: requestId === undefined ? uuid : requestIdFrom(requestId),
    traceparent: traceparent === undefined ? traceparentOf(uuid) : traceparentFrom(traceparent),
  };
};
