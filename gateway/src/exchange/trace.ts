import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { requestIdFrom, type Trace, traceparentFrom } from '@boxoffice/runtime';

/** Derives a traceparent from a UUID: its digits are the trace id, the last 16 the parent id. */
const traceparentOf = (uuid: string): string => {
  const [middle, last] = [uuid.slice(19, 23), uuid.slice(24)];
  return `00-${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(14, 18)}${middle}${last}-${middle}${last}-01`;
};

/** The request id and trace context of a request; new ones if the headers are missing or malformed. */
export const traceOf = ({ 'x-request-id': requestId, traceparent }: IncomingHttpHeaders): Trace => {
  // Node caches random data for UUIDs; separate random bytes would cost ten times as much.
  const uuid = randomUUID();
  return {
    requestId: requestId === undefined ? uuid : requestIdFrom(requestId),
    traceparent: traceparent === undefined ? traceparentOf(uuid) : traceparentFrom(traceparent),
  };
};
