import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { requestIdFrom, type Trace, traceparentFrom } from '@boxoffice/runtime';

/** A new traceparent. Node makes the random bits of UUIDs in bulk, which costs a tenth of asking for single ones. */
const newTraceparent = (): string => {
  const [one, other] = [randomUUID(), randomUUID()];
  // Without the group that holds the UUID's version and variant beside random bits.
  const traceId = `${one.slice(0, 8)}${one.slice(9, 13)}${one.slice(24)}${other.slice(0, 8)}`;
  return `00-${traceId}-${other.slice(9, 13)}${other.slice(24)}-01`;
};

/** The trace that a request belongs to, from its headers; begun here if they name none that is well-formed. */
export const traceOf = ({ 'x-request-id': requestId, traceparent }: IncomingHttpHeaders): Trace => ({
  requestId: requestId === undefined ? randomUUID() : requestIdFrom(requestId),
  traceparent: traceparent === undefined ? newTraceparent() : traceparentFrom(traceparent),
});
