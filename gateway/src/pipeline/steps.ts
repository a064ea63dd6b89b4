// The pipeline: the steps that every request passes, in order.
import { Fault } from '@boxoffice/envelope';
import type { Exchange, Step } from '../exchange/exchange.ts';
import { noSuchEndpoint } from '../exchange/faults.ts';
import { familyOf, readTarget } from '../exchange/target.ts';
import { HOP_BY_HOP } from '../forwarding/headers.ts';

/** The steps that other folders implement. */
export interface StepParts {
  readonly countAddress: Step;
  /** Whether a path that ends with a slash is one of web pages. */
  readonly mayEndWithSlash: (path: string) => boolean;
  readonly preflight: Step;
  readonly allowOrigin: Step;
  /** Completes a step before the route is known: what it refuses is counted as well. */
  readonly countingRefusals: (step: (exchange: Exchange) => undefined) => Step;
  readonly findRoute: (exchange: Exchange) => undefined;
  readonly answerOwn: Step;
  readonly refuseOrigin: Step;
  readonly identify: Step;
  readonly countCaller: Step;
  readonly answerCached: Step;
  readonly authorize: Step;
  readonly forward: Step;
}

/** Section 8: https only. A plain request is answered as if the endpoint did not exist. */
const onlyTls: Step = ({ secure }) => {
  if (!secure) throw noSuchEndpoint();
  return undefined;
};

/** Headers that are refused when repeated, because two parsers could choose different values. */
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

/** What a Connection header may name: its own options, and headers that are removed in any case. */
const CONNECTION_OPTIONS: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'close', 'trailers']);

/** Connection may name no header that the response cache, a limit or the session is computed with. */
const refuseNamedHeaders = (connection: string | undefined): void => {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return;
  for (const option of connection.split(',').map((one) => one.trim().toLowerCase())) {
    if (option === '' || CONNECTION_OPTIONS.has(option)) continue;
    throw new Fault('bad_request', 'The header Connection names a header that is not hop-by-hop.');
  }
};

/** Refuses a request whose headers two parsers could read differently. @throws {Fault} bad_request */
const onlyUnambiguous = ({ request: { rawHeaders, headers } }: Exchange): undefined => {
  refuseNamedHeaders(headers.connection);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new Fault('bad_request', 'The only supported transfer coding is chunked.');
  }
  // Node joins or drops repeated headers; an equal count means that none was repeated.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (ONCE.has(name) && seen.has(name)) throw new Fault('bad_request', `The header ${name} must not be repeated.`);
    seen.add(name);
  }
};

const canonicalising =
  (mayEndWithSlash: StepParts['mayEndWithSlash']) =>
  (exchange: Exchange): undefined => {
    exchange.target = readTarget(exchange.request.url ?? '', mayEndWithSlash);
    exchange.family = familyOf(exchange.target.path);
    return undefined;
  };

/** The steps in order, each with the statuses that it can answer. */
export const stepsOf = (parts: StepParts): readonly Step[] => [
  parts.countAddress, // 429
  onlyTls, // 404
  parts.countingRefusals(onlyUnambiguous), // 400
  parts.countingRefusals(canonicalising(parts.mayEndWithSlash)), // 400, 404
  parts.preflight, // 204, 404, 503
  parts.allowOrigin,
  parts.countingRefusals(parts.findRoute), // 404, 405, 503
  parts.identify, // 401, 403, 503
  parts.countCaller, // 429
  parts.answerOwn, // 200
  parts.refuseOrigin, // 403, 500
  parts.answerCached, // 200
  parts.authorize, // 401, 403, 503
  parts.forward, // 413, 502, 503, or the service's response
];
