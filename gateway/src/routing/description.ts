import { getOwnMember } from '@boxoffice/runtime';
import { isBelow, isBuiltIn, type ServiceRow } from '@boxoffice/runtime/services';
import type { Route } from '../exchange/exchange.ts';

export interface OpenApiOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly object[];
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-answers-within'?: unknown;
  readonly requestBody?: object;
  readonly responses?: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, object>>;
}

export type OpenApiPathItem = Readonly<Record<string, OpenApiOperation>>;

export interface Tag {
  readonly name: string;
  readonly description?: string;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info?: { readonly version?: unknown };
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  readonly webhooks?: Readonly<Record<string, object>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly security?: OpenApiOperation['security'];
  readonly tags?: readonly Tag[];
}

interface DescribedRoutes {
  readonly routes: readonly Route[];
  /** Each entry has the reason, for the log. */
  readonly refused: readonly string[];
}

export const operationMethods = ['get', 'post', 'put', 'patch', 'delete'] as const;

const TEMPLATE = /^(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]+|\{[^{}/]+\}))+$/;

const SCOPE = /^([a-z][a-z0-9-]*)(?:\.sensitive)?:(?:read|write)$/;

/** OpenAPI 3.1. @throws {Error} with the reason */
export function requireDocument(value: unknown): OpenApiDocument {
  const { openapi, paths } = isObject(value) ? value : {};
  if (typeof openapi !== 'string' || !openapi.startsWith('3.1')) throw new Error('not an OpenAPI 3.1 document');
  if (!isObject(paths) || !Object.values(paths).every(isObject)) throw new Error('the document has no paths');
  return value as OpenApiDocument;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Requirement = Readonly<Record<string, readonly string[]>>;

const TOKENS = 'oauth2';
const API_KEYS = 'apiKey';

const IDEMPOTENCY_KEY = '#/components/parameters/IdempotencyKey';

const RESPONSE = '#/components/responses/';

/** An operation may claim so many for the beginning of its response. */
const MOST_SECONDS = 120;

export function readRoutes(row: ServiceRow, document: OpenApiDocument): DescribedRoutes {
  const { name: service } = row;
  const routes: Route[] = [];
  const refused: string[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const name of operationMethods) {
      const described = item[name];
      if (!described) continue;
      const method = name.toUpperCase();
      const needed = findScope(described.security ?? document.security);
      const wrong = described.operationId ? reasonToRefuse(row, path, method, needed) : 'has no operationId';
      if (wrong !== undefined || !described.operationId) {
        refused.push(`${method} ${path} ${wrong}`);
        continue;
      }
      const tokenless = row.open.includes(`${method} ${path}`) || row.sessions.some((prefix) => isBelow(path, prefix));
      const scope = tokenless ? undefined : needed;
      const operation = described.operationId;
      const key = `${service} ${operation} ${scope ?? ''}`;
      routes.push({
        method,
        template: path,
        operation,
        service,
        scope,
        isPublic: scope !== undefined && (described.security ?? document.security ?? []).some(isApiKey),
        takesKey: takesKey(described),
        answersWithinMs: toMilliseconds(described['x-answers-within']),
        mediaTypes: listMediaTypes(described, document),
        key,
      });
    }
  }
  return { routes, refused };
}

/** Empty if any access token will do, undefined for any other security; an API key as an alternative does not count. */
const findScope = (security: readonly Requirement[] = []): string | undefined => {
  const others = security.filter((requirement) => !isApiKey(requirement));
  const schemes = others.length === 1 ? Object.entries(others[0] ?? {}) : [];
  const [name, scopes] = schemes.length === 1 ? (schemes[0] ?? []) : [];
  return scopes?.join(' ') || (name === TOKENS ? '' : undefined);
};

const isApiKey = (requirement: Requirement): boolean =>
  requirement[API_KEYS] !== undefined && Object.keys(requirement).length === 1;

/** Undefined if the service may expose the operation. */
const reasonToRefuse = (
  row: ServiceRow,
  path: string,
  method: string,
  scope: string | undefined,
): string | undefined => {
  if (!TEMPLATE.test(path) || !row.prefixes.some((prefix) => isBelow(path, prefix)))
    return 'is not below a prefix of the service';
  if (row.sessions.some((prefix) => isBelow(path, prefix))) return undefined;
  if (row.open.includes(`${method} ${path}`)) return undefined;
  if (scope === undefined) return 'has no scope and is not listed as public';
  // Any token of any client would do: only the product itself has such operations.
  if (scope === '' && !isBuiltIn(row.name))
    return 'names no scope; require one of the domains of the service, or list it in open';
  const foreign = scope.split(' ').filter((one) => one !== '' && !row.domains.includes(SCOPE.exec(one)?.[1] ?? ''));
  return foreign.length === 0 ? undefined : `requires scopes of another domain: ${foreign.join(' ')}`;
};

const takesKey = ({ parameters = [] }: OpenApiOperation): boolean =>
  parameters.some((parameter) => '$ref' in parameter && parameter.$ref === IDEMPOTENCY_KEY);

/** The result is in milliseconds; undefined unless it is a usable number. */
const toMilliseconds = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 && value <= MOST_SECONDS ? value * 1_000 : undefined;

const listMediaTypes = ({ responses = {} }: OpenApiOperation, { components }: OpenApiDocument): ReadonlySet<string> => {
  const contents = Object.values(responses).map(({ $ref, content }) => {
    const shared = $ref?.startsWith(RESPONSE)
      ? getOwnMember(components?.responses, $ref.slice(RESPONSE.length))
      : undefined;
    return (shared as OpenApiResponse | undefined)?.content ?? content;
  });
  return new Set(contents.flatMap((content) => Object.keys(content ?? {})));
};
