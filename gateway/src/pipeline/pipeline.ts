import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '@boxoffice/runtime';
import { answerFault, faultOf } from '../exchange/answer.ts';
import { answered, type Exchange, type Step } from '../exchange/exchange.ts';
import { cameOverTls, type Peer } from '../exchange/peer.ts';
import { familyOf } from '../exchange/target.ts';
import type { AccessLog } from '../telemetry/access-log.ts';
import { beginRequest, endRequest } from '../telemetry/request-span.ts';
import { type StepParts, stepsOf } from './steps.ts';

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
