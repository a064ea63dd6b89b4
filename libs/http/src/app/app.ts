// The HTTP application of a service: a handler for each operation of its route table.

import type { RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { beginAnswer, endAnswer, nameOperation, runWithTrace } from '@boxoffice/runtime';
import Router, { type RequestHandler } from 'router';
import { type Exchange, logAccess, type Reply, refusal, send } from '../answers/exchange.ts';
import { faultOf } from '../answers/outcome.ts';
import { internalDescription, selfDescription } from '../description/openapi.ts';
import { familyA } from '../families/family.ts';
import type { AnyOperation, Method } from '../operation.ts';
import { ClientGone } from '../requests/body.ts';
import { bySpecificity, placesOf } from '../shape.ts';
import { createCompiler } from '../validation/validators.ts';
import { type Answering, type AppOptions, type AppParts, prepare } from './handle.ts';

/** `/contacts/{contactNumber}` in the router's spelling. */
const routerPath = (path: string): string => path.replaceAll(/\{([^}]+)\}/g, ':$1');

const allowed = (methods: Iterable<string>): string =>
  [...methods].flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ');

/**
 * Creates a service's HTTP side from its operations, and applies every rule common to all of them. Serves its own `GET
 * /openapi.json`, and `GET /internal/openapi.json` for those who deploy. Express's router finds the operation; its `app` is left out, since it replaces the prototypes of every
 * request and response.
 */
export const createApp = (options: AppOptions): RequestListener => {
  const parts: AppParts = { ...options, family: options.family ?? familyA, compile: createCompiler() };
  const { family, logger } = parts;
  const router = Router({ caseSensitive: true, strict: true });
  const exchanges = new WeakMap<ServerResponse, Exchange>();
  const exchangeOf = (response: ServerResponse): Exchange => {
    const exchange = exchanges.get(response);
    if (!exchange) throw new Error('the response belongs to no request of this app');
    return exchange;
  };

  const close = (exchange: Exchange, error: unknown, shape: (fault: Fault) => Reply): void => {
    if (error instanceof ClientGone) exchange.response.destroy();
    else send(exchange, shape(faultOf(error, exchange.operation, family, logger)));
  };

  const answer =
    (answering: Answering): RequestHandler<Record<string, string>> =>
    (request, response) => {
      const exchange = exchangeOf(response);
      exchange.operation = answering.id;
      exchange.isRoutine = answering.isRoutine;
      nameOperation(response, answering.id);
      answering
        .reply(exchange, request.params)
        .then((reply) => send(exchange, reply))
        .catch((error) => close(exchange, error, answering.fault))
        .catch((error) => {
          logger.error('an answer could not be sent', { operation: answering.id, error });
          response.destroy();
        });
    };

  const refuseMethod =
    (allow: string, shape: (fault: Fault) => Reply): RequestHandler =>
    (_request, response) => {
      const fault = new Fault('method_not_allowed', `This path supports ${allow}.`, { Allow: allow });
      send(exchangeOf(response), shape(fault));
    };

  /** What no route answers; the router's own error means a path that cannot be decoded. */
  const refuse = (exchange: Exchange, error: unknown): void => {
    const fault =
      error instanceof URIError
        ? new Fault('bad_request', 'The path is not well-formed.')
        : (error ?? new Fault('not_found', 'There is no such endpoint.'));
    close(exchange, fault, (known) => refusal(family, known));
  };

  const prepared = new Map<AnyOperation, (id: string) => Answering>();
  const answering = (id: string, operation: AnyOperation): Answering => {
    const at = prepared.get(operation) ?? prepare(operation, parts);
    prepared.set(operation, at);
    return at(id);
  };

  const byPath = Map.groupBy(
    placesOf(
      [...options.operations, selfDescription(options), internalDescription(options)],
      family.wording.aliasSuffix,
    ),
    ({ path }) => path,
  );
  for (const path of [...byPath.keys()].toSorted(bySpecificity)) {
    const route = router.route(routerPath(path));
    const methods = new Set<Method>();
    let shape = (fault: Fault): Reply => refusal(family, fault);
    for (const { id, operation } of byPath.get(path) ?? []) {
      methods.add(operation.method);
      const at = answering(id, operation);
      if (operation.onFault) shape = at.fault;
      route[operation.method](answer(at));
    }
    route.all(refuseMethod(allowed(methods), shape));
  }

  return (request, response) => {
    const { trace, span } = beginAnswer(request, options.service);
    const exchange: Exchange = { request, response, trace, startedAt: performance.now(), headers: family.headers };
    exchanges.set(response, exchange);
    logAccess(exchange, logger);
    if (span) response.once('close', () => endAnswer(span, exchange.operation ?? 'none', response));
    runWithTrace(trace, () => router(request, response, (error) => refuse(exchange, error)));
  };
};
