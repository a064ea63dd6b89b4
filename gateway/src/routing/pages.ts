import { DOCS } from '../documentation/guides.ts';
import type { Route } from '../exchange/exchange.ts';
import { isBelow, type ServiceName, services } from '../services.ts';
import { type PathRoutes, pathRoutesOf } from './router.ts';

/** Media types of web pages. */
const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'text/html',
  'text/css',
  'text/javascript',
  'text/plain',
  'image/svg+xml',
  'image/png',
  'font/woff2',
]);

/**
 * Makes the lookup of web pages: GET and HEAD of any path below a page prefix, and POST where pages have forms; the
 * service decides what exists there.
 */
export const pagesOf = (configured: readonly ServiceName[]): ((path: string) => PathRoutes | undefined) => {
  const routesOf = (service: Route['service'], prefix: string, methods: readonly string[]) => {
    const operation = `${service}Pages`;
    const open = { scope: undefined, isPublic: false, takesKey: false, mediaTypes: MEDIA_TYPES, key: operation };
    const route = { template: prefix, operation, service, ...open };
    return { prefix, routes: pathRoutesOf(new Map(methods.map((method) => [method, { ...route, method }]))) };
  };
  const pages = [
    routesOf('gateway', DOCS, ['GET']),
    ...configured.flatMap((service) => [
      ...services[service].pages.map((prefix) => routesOf(service, prefix, ['GET'])),
      ...services[service].forms.map((prefix) => routesOf(service, prefix, ['GET', 'POST'])),
    ]),
  ];
  return (path) => pages.find(({ prefix }) => isBelow(path, prefix))?.routes;
};
