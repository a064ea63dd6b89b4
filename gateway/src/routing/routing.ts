// The service of a request: routes from the services' descriptions.
import { Fault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Exchange, Route } from '../exchange/exchange.ts';
import { noSuchEndpoint, unavailable } from '../exchange/faults.ts';
import { isBelow, type ServiceName, serviceNames, services } from '../services.ts';
import { type OpenApiDocument, readRoutes } from './description.ts';
import { pagesOf } from './pages.ts';
import { createRouter, type PathRoutes, type Router } from './router.ts';

/** The current routes, learned from the services' descriptions. */
export interface Routing {
  /** Replaces a service's description; later requests use its routes. */
  learn(service: ServiceName, document: OpenApiDocument): void;
  /** The current descriptions, in the order of the table of services. */
  documents(): ReadonlyMap<ServiceName, OpenApiDocument>;
  /** Whether the method (`get`) of the path template is routed. */
  isRouted(method: string, template: string): boolean;
  /**
   * Finds the route of a request, or refuses it: 404, 405, or 503 below the prefixes of a service without a
   * description.
   */
  step(exchange: Exchange): undefined;
  /** The value of `Allow` at the exchange's path. @throws {Fault} not_found, service_unavailable */
  methodsAt(exchange: Exchange): string;
}

interface RoutingOptions {
  /** The services that have a URL. */
  readonly configured: readonly ServiceName[];
  /** The routes of the gateway's own operations. */
  readonly own: readonly Route[];
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

const notAllowed = (allow: string): Fault =>
  new Fault('method_not_allowed', `This path supports ${allow}.`, { Allow: allow });

/** Paths that the listeners answer for GET and HEAD before the pipeline. */
const HEALTH: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);

const isRead = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

/** Makes the routing. Only described operations and web pages can be reached through it. */
export const createRouting = ({ configured, own, logger }: RoutingOptions): Routing => {
  const documents = new Map<ServiceName, OpenApiDocument>();
  const routes = new Map<ServiceName, readonly Route[]>();
  let router: Router = createRouter(own);

  const belongsToUndescribed = (path: string): boolean =>
    configured.some((name) => !documents.has(name) && services[name].prefixes.some((prefix) => isBelow(path, prefix)));

  const pages = pagesOf(configured);

  const findPath = ({ request, target }: Exchange): PathRoutes => {
    const atPath = router.find(target.path) ?? pages(target.path);
    if (!atPath) {
      if (HEALTH.has(target.path) && !isRead(request.method)) throw notAllowed('GET, HEAD');
      if (belongsToUndescribed(target.path)) throw unavailable('The service has not started yet.');
      throw noSuchEndpoint();
    }
    return atPath;
  };

  const find = (exchange: Exchange): Route => {
    const { request } = exchange;
    const atPath = findPath(exchange);
    const route = atPath.routes.get(request.method ?? '');
    if (!route) throw notAllowed(atPath.allow);
    return route;
  };

  return {
    learn(service, document) {
      const described = readRoutes(service, document);
      for (const reason of described.refused) logger.warn('an operation is not routed', { upstream: service, reason });
      documents.set(service, document);
      routes.set(service, described.routes);
      router = createRouter([...own, ...serviceNames.flatMap((name) => routes.get(name) ?? [])]);
      logger.info('learned operations', { upstream: service, count: described.routes.length });
    },
    isRouted: (method, template) =>
      [...routes.values()].some((of) =>
        of.some((route) => route.template === template && route.method === method.toUpperCase()),
      ),
    documents: () =>
      new Map(
        serviceNames.flatMap((name) => {
          const document = documents.get(name);
          return document ? [[name, document] as const] : [];
        }),
      ),
    methodsAt: (exchange) => findPath(exchange).allow,
    step(exchange) {
      exchange.route = find(exchange);
      return undefined;
    },
  };
};
