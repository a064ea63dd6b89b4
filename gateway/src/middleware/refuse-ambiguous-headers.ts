import { Fault } from '@boxoffice/envelope';
import type { RequestHandler } from 'express';
import { HOP_BY_HOP } from '../forwarding/headers.ts';

export const refuseAmbiguousHeaders: RequestHandler = ({ rawHeaders, headers }, _response, next) => {
  refuseNamedHeaders(headers.connection);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new Fault('bad_request', 'The only supported transfer coding is chunked.');
  }
  // Node joins or drops repeated headers; an equal count means that none was repeated.
  if (Object.keys(headers).length * 2 !== rawHeaders.length) refuseRepeatedHeaders(rawHeaders);
  next();
};

const ONCE: ReadonlySet<string> = new Set([
  'authorization',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'origin',
  'x-api-key',
  'x-auth-token',
  'x-order-link',
  'x-service-host',
]);

function refuseRepeatedHeaders(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (ONCE.has(name) && seen.has(name)) throw new Fault('bad_request', `The header ${name} must not be repeated.`);
    seen.add(name);
  }
}

/** It may name its own options, and headers that are removed in any case. */
const CONNECTION_OPTIONS: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'close', 'trailers']);

/** It may name none that the response cache, a limit or the session is computed with. */
function refuseNamedHeaders(connection: string | undefined): void {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return;
  for (const option of connection.split(',').map((one) => one.trim().toLowerCase())) {
    if (option === '' || CONNECTION_OPTIONS.has(option)) continue;
    throw new Fault('bad_request', 'The header Connection names a header that is not hop-by-hop.');
  }
}
