import { getOwnMember } from '@boxoffice/runtime';
import { isBelow, type ServiceList, type ServiceRow } from '@boxoffice/runtime/services';
import { DOCS } from '../documentation/guides.ts';
import type { Route } from '../exchange/exchange.ts';

export type Upstream = ServiceRow & { readonly url: string };

/** URLs by name from settings, which count before those of the list. */
export type ServiceUrls = Readonly<Record<string, string | undefined>>;

/** Leaves out services without an address; in the order of the list. */
export function listUpstreams(list: ServiceList, urls: ServiceUrls): readonly Upstream[] {
  return list.rows().flatMap((row) => {
    const url = getOwnMember(urls, row.name) ?? row.url;
    return url === undefined ? [] : [{ ...row, url }];
  });
}

/** Routes by method, GET's also as HEAD, and the value of `Allow`. */
export interface PathRoutes {
  readonly routes: ReadonlyMap<string, Route>;
  readonly allow: string;
}

export interface Router {
  /** The path is canonical. A concrete path takes precedence over a templated one, for every method. */
  find(path: string): PathRoutes | undefined;
}

interface Node {
  readonly children: Map<string, Node>;
  template?: Node;
  readonly routes: Map<string, Route>;
  atPath?: PathRoutes;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Of two routes with the same method and path the first one counts. */
export function createRouter(routes: Iterable<Route>): Router {
  const root = newNode();
  const concrete = new Map<string, PathRoutes>();
  const ends = new Map<Node, string>();
  for (const route of routes) {
    const node = route.template.slice(1).split('/').reduce(childFor, root);
    if (!node.routes.has(route.method)) node.routes.set(route.method, route);
    ends.set(node, route.template);
  }
  for (const [node, template] of ends) {
    node.atPath = pathRoutesOf(node.routes);
    if (!template.includes('{')) concrete.set(template, node.atPath);
  }
  return { find: (path) => concrete.get(path) ?? search(root, path.slice(1).split('/'), 0) };
}

const newNode = (): Node => ({ children: new Map(), routes: new Map() });

const childFor = (node: Node, segment: string): Node => {
  if (isParameter(segment)) {
    node.template ??= newNode();
    return node.template;
  }
  const child = node.children.get(segment) ?? newNode();
  node.children.set(segment, child);
  return child;
};

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

const pathRoutesOf = (declared: ReadonlyMap<string, Route>): PathRoutes => {
  const routes = new Map(declared);
  const get = declared.get('GET');
  if (get) routes.set('HEAD', get);
  return { routes, allow: METHODS.filter((method) => routes.has(method)).join(', ') };
};

const search = (node: Node, segments: readonly string[], depth: number): PathRoutes | undefined => {
  const segment = segments[depth];
  if (segment === undefined) return node.atPath;
  const child = node.children.get(segment);
  const concrete = child && search(child, segments, depth + 1);
  return concrete ?? (node.template && search(node.template, segments, depth + 1));
};

export interface Pages {
  /** Pages have GET and HEAD, and POST where they have forms; the service decides what exists there. */
  find(path: string): PathRoutes | undefined;
  /** True if browsers navigate to the path, in a service. */
  isPage(path: string): boolean;
  /** Paths of pages without forms may. */
  mayEndWithSlash(path: string): boolean;
  /** `url` is the raw request target, because requests can be refused before it is parsed. */
  hasErrorPages(url: string | undefined): boolean;
  update(rows: readonly ServiceRow[], upstreams: readonly Upstream[]): void;
}

export function createPages(): Pages {
  const routesOf = (service: string, prefix: string, methods: readonly string[]) => {
    const operation = `${service}Pages`;
    const open = { scope: undefined, isPublic: false, takesKey: false, mediaTypes: 'any' as const, key: operation };
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
}

const pathOf = (url: string): string => /^(?:https?:\/\/[^/?#]*)?([^?#]*)/.exec(url)?.[1] ?? '';

const pagesIn = ({ pages }: ServiceRow): readonly { readonly prefix: string; readonly hasForms: boolean }[] =>
  pages.map((page) => ({ prefix: page.replace(/^POST /, ''), hasForms: page.startsWith('POST ') }));
