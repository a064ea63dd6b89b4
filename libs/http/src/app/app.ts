import { Fault } from '@boxoffice/envelope';
import { beginAnswer, endAnswer, nameOperation, runWithTrace } from '@boxoffice/runtime';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { createRefusalReply, type Exchange, logAccess, type Reply, send } from '../answers/exchange.ts';
import { toFault } from '../answers/outcome.ts';
import { createDescriptionOperation, createInternalDescriptionOperation } from '../description/openapi.ts';
import { familyA } from '../families/family.ts';
import type { AnyOperation, Method } from '../operation.ts';
import { ClientGone } from '../requests/body.ts';
import { compareSpecificity, listPlaces } from '../shape.ts';
import { createCompiler } from '../validation/validators.ts';
import { type Answering, type AppOptions, type AppParts, prepare } from './handle.ts';

type Locals = { exchange: Exchange };

type Handler = RequestHandler<Record<string, string>, unknown, unknown, unknown, Locals>;
type ErrorHandler = ErrorRequestHandler<Record<string, string>, unknown, unknown, unknown, Locals>;

/** Also serves `GET /openapi.json`, and `GET /internal/openapi.json` for those who deploy. */
export function createApp(options: AppOptions): Express {
  const parts: AppParts = { ...options, family: options.family ?? familyA, compile: createCompiler() };
  const { family } = parts;
  const app = express();
  app.disable('x-powered-by').enable('case sensitive routing').enable('strict routing');
  // Otherwise Express's own page for an error of the error handler shows its stack.
  app.set('env', 'production');
  app.use(openExchange(parts));

  const prepared = new Map<AnyOperation, (id: string) => Answering>();
  const answering = (id: string, operation: AnyOperation): Answering => {
    const at = prepared.get(operation) ?? prepare(operation, parts);
    prepared.set(operation, at);
    return at(id);
  };

  const byPath = Map.groupBy(
    listPlaces(
      [...options.operations, createDescriptionOperation(options), createInternalDescriptionOperation(options)],
      family.wording.aliasSuffix,
    ),
    ({ path }) => path,
  );
  for (const path of [...byPath.keys()].toSorted(compareSpecificity)) {
    const route = app.route(routerPath(path));
    const methods = new Set<Method>();
    let shape = (fault: Fault): Reply => createRefusalReply(family, fault);
    for (const { id, operation } of byPath.get(path) ?? []) {
      methods.add(operation.method);
      const at = answering(id, operation);
      if (operation.onFault) shape = at.fault;
      route[operation.method](answerOperation(at, parts)); // The operation's statuses.
    }
    route.all(refuseMethod(listAllowedMethods(methods), shape)); // 405
  }

  app.use(refusePath); // 404
  app.use(answerError(parts)); // 400
  return app;
}

const openExchange =
  ({ service, family, logger }: AppParts): Handler =>
  (request, response, next) => {
    const { trace, span } = beginAnswer(request, service);
    const exchange: Exchange = { request, response, trace, startedAt: performance.now(), headers: family.headers };
    response.locals.exchange = exchange;
    logAccess(exchange, logger);
    if (span) response.once('close', () => endAnswer(span, exchange.operation ?? 'none', response));
    runWithTrace(trace, next);
  };

/** `/contacts/{contactNumber}` in the spelling of Express. */
const routerPath = (path: string): string => path.replaceAll(/\{([^}]+)\}/g, ':$1');

const answerOperation =
  ({ id, isRoutine, reply, fault }: Answering, { family, logger }: AppParts): Handler =>
  async (request, response) => {
    const { exchange } = response.locals;
    exchange.operation = id;
    exchange.isRoutine = isRoutine;
    nameOperation(response, id);
    try {
      send(exchange, await reply(exchange, request.params));
    } catch (error) {
      if (error instanceof ClientGone) response.destroy();
      else send(exchange, fault(toFault(error, id, family, logger)));
    }
  };

const refuseMethod =
  (allow: string, shape: (fault: Fault) => Reply): Handler =>
  (_request, { locals }) => {
    const fault = new Fault('method_not_allowed', `This path supports ${allow}.`, { Allow: allow });
    send(locals.exchange, shape(fault));
  };

const listAllowedMethods = (methods: Iterable<string>): string =>
  [...methods].flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ');

const refusePath: Handler = () => {
  throw new Fault('not_found', 'There is no such endpoint.');
};

const answerError =
  ({ family, logger }: AppParts): ErrorHandler =>
  (error, _request, response, _next) => {
    const { exchange } = response.locals;
    if (exchange.operation !== undefined) {
      logger.error('an answer could not be sent', { operation: exchange.operation, error });
      response.destroy();
      return;
    }
    // Express throws it for a path that cannot be decoded.
    const isMalformed = error instanceof URIError;
    const fault = isMalformed ? new Fault('bad_request', 'The path is not well-formed.') : error;
    send(exchange, createRefusalReply(family, toFault(fault, undefined, family, logger)));
  };
