// The pipeline: the steps that every request passes, in order.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import { answerFault, faultOf } from './exchange/answer.ts';
import { answered, type Exchange, type Step } from './exchange/exchange.ts';
import { noSuchEndpoint } from './exchange/faults.ts';
import { cameOverTls, type Peer } from './exchange/peer.ts';
import { familyOf, readTarget } from './exchange/target.ts';
import { HOP_BY_HOP } from './forwarding/headers.ts';
import type { AccessLog } from './telemetry/request-log.ts';
import { beginRequest, endRequest } from './telemetry/request-log.ts';

/** The steps that other folders implement. */
interface StepParts {
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
const stepsOf = (parts: StepParts): readonly Step[] => [
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

/** What the pipeline is made of. */
interface PipelineParts {
  readonly peerOf: (request: IncomingMessage) => Peer;
  /** The value of `Strict-Transport-Security` on responses over TLS; undefined omits it. */
  readonly hsts: string | undefined;
  /** See Exchange. */
  readonly hasErrorPages: Exchange['hasErrorPages'];
  readonly steps: StepParts;
  readonly accessLog: AccessLog;
  /** Called when an exchange has ended. */
  readonly onCompleted?: (exchange: Exchange) => void;
  readonly logger: Pick<Logger, 'error'>;
}

/** The gateway's request listeners, with and without TLS. */
interface Pipeline {
  listener(tls: boolean): RequestListener;
  /**
   * Resolves when every exchange has ended and is logged, at the latest after IDLE_MS: Node reports nothing for a
   * pipelined request that was never started.
   */
  idle(): Promise<void>;
}

const IDLE_MS = 200;

const NO_HEADERS: readonly string[] = [];

const UNREAD = { path: '', query: '' };

/** Makes the request handling around the steps: opens the exchange, runs the steps, logs and counts the outcome. */
export const createPipeline = (parts: PipelineParts): Pipeline => {
  const { peerOf, hsts, hasErrorPages, accessLog, onCompleted, logger } = parts;

  const steps = stepsOf(parts.steps);

  const refuse = (exchange: Exchange, error: unknown): void => {
    const report = (unknown: unknown) => {
      logger.error('a request failed', {
        requestId: exchange.trace.requestId,
        operation: exchange.route?.operation,
        error: unknown,
      });
    };
    answerFault(exchange, faultOf(error, report));
  };

  /** Runs the steps from `first` on; only a step that returns a promise suspends the run. */
  const run = (exchange: Exchange, first: number): void => {
    try {
      for (let index = first; index < steps.length; index += 1) {
        const outcome = steps[index]?.(exchange);
        if (outcome === answered) return;
        if (outcome !== undefined) {
          resume(exchange, outcome, index + 1);
          return;
        }
      }
    } catch (error) {
      refuse(exchange, error);
    }
  };

  const resume = (exchange: Exchange, waiting: ReturnType<Step> & Promise<unknown>, next: number): void => {
    waiting.then(
      (outcome) => {
        // The client may have disconnected meanwhile.
        if (outcome !== answered && !exchange.response.destroyed) run(exchange, next);
      },
      (error: unknown) => refuse(exchange, error),
    );
  };

  const open = (request: IncomingMessage, response: ServerResponse, tls: boolean): Exchange => {
    const peer = peerOf(request);
    const { trace, span } = beginRequest(request);
    const secure = tls || (peer.trusted && cameOverTls(request));
    return {
      request,
      response,
      trace,
      span,
      startedAt: performance.now(),
      now: Date.now(),
      secure,
      hsts: secure ? hsts : undefined,
      host: request.headers.host,
      address: peer.address,
      hasErrorPages,
      originRefusal: undefined,
      family: familyOf(request.url),
      target: UNREAD,
      quota: undefined,
      route: undefined,
      claims: undefined,
      apiKey: undefined,
      isPublic: false,
      token: '',
      tokenHash: '',
      identity: undefined,
      forwardedAt: 0,
      admittedKey: undefined,
      keyOutcome: undefined,
      corsHeaders: NO_HEADERS,
      bytesOut: 0,
      proxied: undefined,
    };
  };

  let inFlight = 0;
  let resolveIdle = (): void => undefined;

  return {
    idle: () =>
      new Promise((resolve) => {
        resolveIdle = resolve;
        if (inFlight === 0) resolve();
        else setTimeout(resolve, IDLE_MS);
      }),
    listener: (tls) => (request, response) => {
      const exchange = open(request, response, tls);
      inFlight += 1;
      response.on('close', () => {
        exchange.proxied?.end();
        accessLog.record(exchange);
        onCompleted?.(exchange);
        if (exchange.span) endRequest(exchange.span, exchange);
        inFlight -= 1;
        if (inFlight === 0) resolveIdle();
      });
      run(exchange, 0);
    },
  };
};
