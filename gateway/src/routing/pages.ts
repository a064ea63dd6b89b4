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
 * Makes the lookup of web pages: GET and HEAD of any path below a page prefix; the service decides what exists there.
 */
export const pagesOf = (configured: readonly ServiceName[]): ((path: string) => PathRoutes | undefined) => {
  const pages = configured.flatMap((service) =>
    services[service].pages.map((prefix) => {
      const operation = `${service}Pages`;
      const route = { method: 'GET', template: prefix, operation, service, scope: undefined, mediaTypes: MEDIA_TYPES };
      return { prefix, routes: pathRoutesOf(new Map([['GET', { ...route, key: operation }]])) };
    }),
  );
  return (path) => pages.find(({ prefix }) => isBelow(path, prefix))?.routes;
};
