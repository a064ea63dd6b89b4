import { isBelow, type ServiceRow } from '@boxoffice/runtime/services';
import { DOCS } from '../documentation/guides.ts';
import type { Route } from '../exchange/exchange.ts';
import { pagesIn, type Upstream } from '../services.ts';
import { type PathRoutes, pathRoutesOf } from './router.ts';

/** Media types of web pages. */
const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/manifest+json',
  'application/wasm',
  'text/html',
  'text/css',
  'text/javascript',
  'text/plain',
  'image/svg+xml',
  'image/png',
  'font/woff2',
]);

const pathOf = (url: string): string => /^(?:https?:\/\/[^/?#]*)?([^?#]*)/.exec(url)?.[1] ?? '';

/** The web pages of the services and of the gateway. */
export interface Pages {
  /**
   * The routes of a path below a page prefix: GET and HEAD, and POST where pages have forms; the service decides what
   * exists there.
   */
  find(path: string): PathRoutes | undefined;
  /** Whether browsers navigate to the path, in a service. */
  isPage(path: string): boolean;
  /** Whether a path with a slash at its end is one of pages without forms: no other may have one. */
  mayEndWithSlash(path: string): boolean;
  /**
   * Whether browsers are led to this address, so that its errors are pages. `url` is the raw request target, because
   * requests can be refused before it is parsed.
   */
  hasErrorPages(url: string | undefined): boolean;
  /** Replaces the services. */
  update(rows: readonly ServiceRow[], upstreams: readonly Upstream[]): void;
}

/** Makes the pages, of no service yet. */
export const createPages = (): Pages => {
  const routesOf = (service: string, prefix: string, methods: readonly string[]) => {
    const operation = `${service}Pages`;
    const open = { scope: undefined, isPublic: false, takesKey: false, mediaTypes: MEDIA_TYPES, key: operation };
    const route = { template: prefix, operation, service, ...open } satisfies Omit<Route, 'method'>;
    return { prefix, routes: pathRoutesOf(new Map(methods.map((method) => [method, { ...route, method }]))) };
  };
  let all: readonly { readonly prefix: string; readonly hasForms: boolean }[] = [];
  let routed = [routesOf('gateway', DOCS, ['GET'])];
  return {
    find: (path) => routed.find(({ prefix }) => isBelow(path, prefix))?.routes,
    isPage: (path) => all.some(({ prefix }) => isBelow(path, prefix)),
    mayEndWithSlash: (path) =>
      path === `${DOCS}/` || all.some(({ prefix, hasForms }) => !hasForms && path.startsWith(`${prefix}/`)),
    hasErrorPages(url = '') {
      const path = pathOf(url);
      return isBelow(path, DOCS) || all.some(({ prefix, hasForms }) => hasForms && isBelow(path, prefix));
    },
    update(rows, upstreams) {
      all = rows.flatMap(pagesIn);
      routed = [
        routesOf('gateway', DOCS, ['GET']),
        ...upstreams.flatMap((row) =>
          pagesIn(row).map(({ prefix, hasForms }) => routesOf(row.name, prefix, hasForms ? ['GET', 'POST'] : ['GET'])),
        ),
      ];
    },
  };
};
