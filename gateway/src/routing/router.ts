import type { Route } from '../exchange/exchange.ts';

/** The routes of one path by method, GET's also as HEAD, and the value of `Allow`. */
export interface PathRoutes {
  readonly routes: ReadonlyMap<string, Route>;
  readonly allow: string;
}

export interface Router {
  /**
   * The routes of a canonical path; undefined if none. A concrete path takes precedence over a templated one, for every
   * method.
   */
  find(path: string): PathRoutes | undefined;
}

interface Node {
  readonly children: Map<string, Node>;
  template?: Node;
  readonly routes: Map<string, Route>;
  atPath?: PathRoutes;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const newNode = (): Node => ({ children: new Map(), routes: new Map() });

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

const childFor = (node: Node, segment: string): Node => {
  if (isParameter(segment)) {
    node.template ??= newNode();
    return node.template;
  }
  const child = node.children.get(segment) ?? newNode();
  node.children.set(segment, child);
  return child;
};

/** Adds HEAD and `Allow` to the routes of one path. */
export const pathRoutesOf = (declared: ReadonlyMap<string, Route>): PathRoutes => {
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

/** Makes the router. Of two routes with the same method and path the first one counts. */
export const createRouter = (routes: Iterable<Route>): Router => {
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
};
