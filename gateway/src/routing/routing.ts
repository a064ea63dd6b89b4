import { Fault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import { isBelow, isBuiltIn } from '@boxoffice/runtime/services';
import type { Exchange, Route } from '../exchange/exchange.ts';
import { createNoSuchEndpointFault, createUnavailableFault } from '../exchange/faults.ts';
import { type OpenApiDocument, readRoutes } from './description.ts';
import type { Pages, Upstream } from './router.ts';
import { createRouter, type PathRoutes } from './router.ts';

export type Routing = ReturnType<typeof createRouting>;

interface RoutingOptions {
  readonly pages: Pick<Pages, 'find'>;
  readonly own: readonly Route[];
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/** The listeners answer them for GET and HEAD before the application. */
const HEALTH: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);

/** Only described operations and web pages can be reached. */
export function createRouting({ pages, own, logger }: RoutingOptions) {
  let services: readonly Upstream[] = [];
  const documents = new Map<string, OpenApiDocument>();
  const described = new Map<string, readonly Route[]>();
  let routes: readonly Route[] = [];
  let router = createRouter(own);

  const belongsToUndescribed = (path: string): boolean =>
    services.some(({ name, prefixes }) => !documents.has(name) && prefixes.some((prefix) => isBelow(path, prefix)));

  const read = (row: Upstream, document: OpenApiDocument): void => {
    const { routes: its, refused } = readRoutes(row, document);
    for (const reason of refused) logger.warn('an operation is not routed', { upstream: row.name, reason });
    documents.set(row.name, document);
    described.set(row.name, its);
    logger.info('learned operations', { upstream: row.name, count: its.length });
  };

  /** An operationId is one operation of the interface: of two services the one above has it. */
  const assemble = (): void => {
    const taken = new Set(own.map(({ operation }) => operation));
    routes = services.flatMap(({ name }) => {
      const its = described.get(name) ?? [];
      const free = isBuiltIn(name) ? its : its.filter(({ operation }) => !taken.has(operation));
      for (const { operation } of its.filter((route) => !free.includes(route)))
        logger.warn('an operation is not routed', {
          upstream: name,
          reason: `${operation} is an operationId of another service; choose another`,
        });
      for (const { operation } of its) taken.add(operation);
      return free;
    });
    router = createRouter([...own, ...routes]);
  };

  const findPath = ({ request, target }: Exchange): PathRoutes => {
    const atPath = router.find(target.path) ?? pages.find(target.path);
    if (!atPath) {
      if (HEALTH.has(target.path) && !isRead(request.method)) throw notAllowed('GET, HEAD');
      if (belongsToUndescribed(target.path)) throw createUnavailableFault('The service has not started yet.');
      throw createNoSuchEndpointFault();
    }
    return atPath;
  };

  return {
    /** Later requests use the routes that their descriptions give them. */
    update(now: readonly Upstream[]): void {
      services = now;
      for (const name of documents.keys())
        if (!now.some((row) => row.name === name)) {
          documents.delete(name);
          described.delete(name);
        }
      for (const row of now) {
        const document = documents.get(row.name);
        // A copy, so that documents made of it are made again.
        if (document && !isBuiltIn(row.name)) read(row, { ...document });
      }
      assemble();
    },
    learn(service: string, document: OpenApiDocument): void {
      const row = services.find(({ name }) => name === service);
      if (!row) return;
      read(row, document);
      assemble();
    },
    /** `method` as in descriptions (`get`). */
    isRouted: (service: string, method: string, template: string): boolean =>
      routes.some(
        (route) => route.service === service && route.template === template && route.method === method.toUpperCase(),
      ),
    /** Sorted as the list of services is. */
    documents: (): ReadonlyMap<string, OpenApiDocument> =>
      new Map(
        services.flatMap(({ name }) => {
          const document = documents.get(name);
          return document ? [[name, document] as const] : [];
        }),
      ),
    /** @throws {Fault} not_found, service_unavailable */
    methodsAt: (exchange: Exchange): string => findPath(exchange).allow,
    /** Refuses with 404, 405, or 503 below the prefixes of a service without a description. */
    findRoute(exchange: Exchange): Route {
      const { routes, allow } = findPath(exchange);
      const route = routes.get(exchange.request.method ?? '');
      if (!route) throw notAllowed(allow);
      return route;
    },
  };
}

const isRead = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

const notAllowed = (allow: string): Fault =>
  new Fault('method_not_allowed', `This path supports ${allow}.`, { Allow: allow });
