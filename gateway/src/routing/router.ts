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

interface Node {
  readonly children: Map<string, Node>;
  template?: Node;
  readonly routes: Map<string, Route>;
  atPath?: PathRoutes;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Of two routes with the same method and path the first one counts. */
export function createRouter(routes: Iterable<Route>) {
  const root = newNode();
  const concrete = new Map<string, PathRoutes>();
  const ends = new Map<Node, string>();
  for (const route of routes) {
    const node = route.template.slice(1).split('/').reduce(childFor, root);
    if (!node.routes.has(route.method)) node.routes.set(route.method, route);
    ends.set(node, route.template);
  }
  for (const [node, template] of ends) {
    node.atPath = toPathRoutes(node.routes);
    if (!template.includes('{')) concrete.set(template, node.atPath);
  }
  return {
    /** The path is canonical. A concrete path takes precedence over a templated one, for every method. */
    find: (path: string): PathRoutes | undefined => concrete.get(path) ?? search(root, path.slice(1).split('/'), 0),
  };
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

const toPathRoutes = (declared: ReadonlyMap<string, Route>): PathRoutes => {
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

export type Pages = ReturnType<typeof createPages>;

export function createPages() {
  const buildRoutes = (service: string, prefix: string, methods: readonly string[]) => {
    const operation = `${service}Pages`;
    const open = { scope: undefined, isPublic: false, takesKey: false, mediaTypes: 'any' as const, key: operation };
    const route = { template: prefix, operation, service, ...open } satisfies Omit<Route, 'method'>;
    return { prefix, routes: toPathRoutes(new Map(methods.map((method) => [method, { ...route, method }]))) };
  };
  let all: readonly { readonly prefix: string; readonly hasForms: boolean }[] = [];
  let routed = [buildRoutes('gateway', DOCS, ['GET'])];
  return {
    /** Pages have GET and HEAD, and POST where they have forms; the service decides what exists there. */
    find: (path: string): PathRoutes | undefined => routed.find(({ prefix }) => isBelow(path, prefix))?.routes,
    /** True if browsers navigate to the path, in a service. */
    isPage: (path: string): boolean => all.some(({ prefix }) => isBelow(path, prefix)),
    /** Paths of pages without forms may. */
    mayEndWithSlash: (path: string): boolean =>
      path === `${DOCS}/` || all.some(({ prefix, hasForms }) => !hasForms && path.startsWith(`${prefix}/`)),
    /** `url` is the raw request target, because requests can be refused before it is parsed. */
    hasErrorPages(url = ''): boolean {
      const path = readPath(url);
      return isBelow(path, DOCS) || all.some(({ prefix, hasForms }) => hasForms && isBelow(path, prefix));
    },
    update(rows: readonly ServiceRow[], upstreams: readonly Upstream[]): void {
      all = rows.flatMap(listPages);
      routed = [
        buildRoutes('gateway', DOCS, ['GET']),
        ...upstreams.flatMap((row) =>
          listPages(row).map(({ prefix, hasForms }) =>
            buildRoutes(row.name, prefix, hasForms ? ['GET', 'POST'] : ['GET']),
          ),
        ),
      ];
    },
  };
}

const readPath = (url: string): string => /^(?:https?:\/\/[^/?#]*)?([^?#]*)/.exec(url)?.[1] ?? '';

const listPages = ({ pages }: ServiceRow): readonly { readonly prefix: string; readonly hasForms: boolean }[] =>
  pages.map((page) => ({ prefix: page.replace(/^POST /, ''), hasForms: page.startsWith('POST ') }));
