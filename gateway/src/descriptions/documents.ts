import { success } from '@boxoffice/envelope';
import { familyA, removeUnusedComponents, scopeWords } from '@boxoffice/http';
import { getOwnMember } from '@boxoffice/runtime';
import { isBelow } from '@boxoffice/runtime/services';
import { type Content, compress, createContent } from '../exchange/content.ts';
import type { Family } from '../exchange/faults.ts';
import { type OpenApiDocument, type OpenApiPathItem, operationMethods, type Tag } from '../routing/description.ts';
import type { Routing } from '../routing/routing.ts';
import {
  API_DESCRIPTION,
  addGatewayStatuses,
  describeGatewayResponses,
  describeOwnOperations,
  describeOwnVersion,
  errorItems,
  POS_API_DESCRIPTION,
  POS_API_VERSION,
  VERSION,
  VEXP,
  versions,
} from './own-operations.ts';

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Part {
  readonly name: string;
  readonly document: OpenApiDocument;
  readonly shown: (method: string, path: string) => boolean;
}

interface OAuthScheme {
  readonly flows?: Readonly<Record<string, { readonly scopes?: Readonly<Record<string, string>> }>>;
}

/** No operation requires these as a whole; a member of a body may. */
const grantable = Object.fromEntries(Object.entries(scopeWords).filter(([scope]) => scope.includes(':')));

export type Documents = ReadonlyMap<string, () => Content>;

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' };

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' } as const;

/** The point-of-sale API has its own version (specification, 9). */
const INFO: Readonly<Record<Family, object>> = {
  A: { title: 'boxoffice institution API', version: VERSION, description: API_DESCRIPTION, license },
  B: { title: 'boxoffice point-of-sale API', version: POS_API_VERSION, description: POS_API_DESCRIPTION, license },
};

/** One unusable part would spoil the whole. @throws {Error} */
export function checkMergeable(name: string, document: OpenApiDocument): void {
  whole('A', '', [{ name, document, shown: () => true }]);
}

const whole = (family: Family, publicUrl: string, parts: readonly Part[]): object => {
  const { paths, webhooks = {}, components, tags } = mergeDocuments(parts);
  return removeUnusedComponents({
    openapi: '3.1.0',
    info: { ...INFO[family], contact: { name: 'The documentation of this installation', url: `${publicUrl}/docs` } },
    servers: [{ url: publicUrl }],
    tags,
    paths: addGatewayStatuses(family, paths),
    ...(Object.keys(webhooks).length > 0 ? { webhooks } : {}),
    components: { ...components, responses: { ...components?.responses, ...describeGatewayResponses(family) } },
  });
};

/** Different components of one name stay separate under suffixed names. */
const mergeDocuments = (
  parts: readonly Part[],
): Pick<OpenApiDocument, 'paths' | 'webhooks' | 'components' | 'tags'> => {
  // These exist also for a service that requires a scope and describes no flows.
  let components: Components = { securitySchemes: { ...familyA.wording.securitySchemes('/auth/token', []) } };
  const paths = new Map<string, OpenApiPathItem>();
  const webhooks = new Map<string, object>();
  const tags = new Map<string, Tag>();
  const scopes = new Map<string, string>();
  for (const part of parts) {
    const document = renameSchemas(part.document, clashing(components, part.document.components ?? {}), part.name);
    components = mergeComponents(components, document.components ?? {});
    for (const [path, item] of Object.entries(document.paths)) {
      const visible = applySecurity(shownItem(part, path, item), document);
      if (!hasOperation(visible)) continue;
      paths.set(path, { ...paths.get(path), ...visible });
      for (const scope of scopesOf(visible)) if (!scopes.has(scope)) scopes.set(scope, part.name);
    }
    for (const [name, webhook] of Object.entries(document.webhooks ?? {}))
      if (!webhooks.has(name)) webhooks.set(name, webhook);
    for (const tag of document.tags ?? []) if (!tags.has(tag.name)) tags.set(tag.name, tag);
  }
  return {
    paths: Object.fromEntries(paths),
    webhooks: Object.fromEntries(webhooks),
    components: withScopes(components, scopes),
    tags: [...tags.values()],
  };
};

const renameSchemas = (document: OpenApiDocument, clashes: ReadonlySet<string>, suffix: string): OpenApiDocument => {
  if (clashes.size === 0) return document;
  let whole = text(document);
  for (const clash of clashes) {
    whole = whole.replaceAll(text(`#/components/${clash}`), text(`#/components/${clash}.${suffix}`));
  }
  const copy = JSON.parse(whole) as OpenApiDocument;
  const components = Object.fromEntries(
    Object.entries(copy.components ?? {}).map(([kind, all]) => [
      kind,
      Object.fromEntries(
        Object.entries(all).map(([name, value]) => [
          clashes.has(`${kind}/${name}`) ? `${name}.${suffix}` : name,
          value,
        ]),
      ),
    ]),
  );
  return { ...copy, components };
};

const text = (value: unknown): string => JSON.stringify(value);

/** Names (`kind/name`) that the merged document already uses with another meaning. */
const clashing = (merged: Components, added: Components): Set<string> => {
  const entries = Object.entries(added)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, all]) => Object.entries(all).map(([name, value]) => ({ kind, name, value })));
  const clashes = new Set<string>();
  for (let before = -1; before !== clashes.size; ) {
    before = clashes.size;
    for (const { kind, name, value } of entries) {
      const known = getOwnMember(getOwnMember(merged, kind), name);
      if (known === undefined || clashes.has(`${kind}/${name}`)) continue;
      const differs = text(known) !== text(value);
      // A component that refers to a renamed component differs too.
      const affected = [...clashes].some((clash) => {
        const [otherKind = '', otherName = ''] = clash.split('/');
        return refersTo(value, otherKind, otherName);
      });
      if (differs || affected) clashes.add(`${kind}/${name}`);
    }
  }
  return clashes;
};

const refersTo = (value: unknown, kind: string, name: string): boolean =>
  text(value).includes(text(`#/components/${kind}/${name}`));

const mergeComponents = (merged: Components, added: Components): Components => {
  const result = new Map(Object.entries(merged).map(([kind, all]) => [kind, new Map(Object.entries(all))]));
  for (const [kind, all] of Object.entries(added)) {
    const into = result.get(kind) ?? new Map<string, unknown>();
    result.set(kind, into);
    for (const [name, value] of Object.entries(all)) {
      const known = into.get(name) as OAuthScheme | undefined;
      into.set(name, kind === 'securitySchemes' ? mergeScheme(known, value as OAuthScheme) : value);
    }
  }
  return Object.fromEntries([...result].map(([kind, all]) => [kind, Object.fromEntries(all)]));
};

const mergeScheme = (one: OAuthScheme | undefined, other: OAuthScheme): OAuthScheme => {
  if (!one?.flows || !other.flows) return one ?? other;
  const flows = new Map(Object.entries(one.flows));
  for (const [name, flow] of Object.entries(other.flows)) {
    const first = flows.get(name);
    flows.set(name, { ...flow, ...first, scopes: { ...flow.scopes, ...first?.scopes } });
  }
  return { ...one, flows: Object.fromEntries(flows) };
};

/** Operations without a requirement of their own have the document's, which the merged one has not. */
const applySecurity = (item: OpenApiPathItem, { security }: OpenApiDocument): OpenApiPathItem =>
  security === undefined
    ? item
    : Object.fromEntries(
        Object.entries(item).map(([member, one]) => [
          member,
          operationMethods.some((method) => method === member) ? { security, ...one } : one,
        ]),
      );

const shownItem = ({ shown }: Part, path: string, item: OpenApiPathItem): OpenApiPathItem => {
  const hidden = operationMethods.filter((method) => item[method] && !shown(method, path));
  return Object.fromEntries(Object.entries(item).filter(([member]) => !hidden.some((method) => method === member)));
};

const hasOperation = (item: OpenApiPathItem): boolean => operationMethods.some((method) => item[method]);

const scopesOf = (item: OpenApiPathItem): readonly string[] =>
  operationMethods.flatMap((method) => (item[method]?.security ?? []).flatMap(({ oauth2 = [] }) => oauth2));

/** For scopes that have no description, the services are named. */
const withScopes = (components: Components, services: ReadonlyMap<string, string>): Components => {
  const { oauth2, ...others } = (components.securitySchemes ?? {}) as Record<string, OAuthScheme>;
  if (!oauth2?.flows) return components;
  const flows = Object.entries(oauth2.flows).map(([flow, { scopes = {}, ...rest }]) => {
    const lacking = [...services].filter(([scope]) => (getOwnMember(scopes, scope) ?? scope) === scope);
    const named = lacking.map(([scope, service]) => [scope, `${scope} of the service ${service}`]);
    return [flow, { ...rest, scopes: { ...grantable, ...scopes, ...Object.fromEntries(named) } }];
  });
  return { ...components, securitySchemes: { ...others, oauth2: { ...oauth2, flows: Object.fromEntries(flows) } } };
};

const EXPERIMENTAL = /^(.+)Experimental(.*)$/;

/** Makes one OpenAPI document per family, limited to routed operations, and the error registry. */
export function createDocuments(routing: Routing, publicUrl: string): Documents {
  const shownOf = (service: string) => (method: string, path: string) => routing.isRouted(service, method, path);
  const everything = () => true;

  const institution = rememberDocument(routing, (documents) =>
    whole('A', publicUrl, [
      { name: 'gateway', document: describeOwnOperations(publicUrl), shown: everything },
      ...[...documents]
        .filter(([name]) => name !== 'pos')
        .map(([name, document]) => ({
          name,
          document,
          shown: shownOf(name),
        })),
    ]),
  );
  const version = ({ prefix, operationId }: (typeof versions)[number]) =>
    rememberDocument(routing, (documents) => {
      const pos = documents.get('pos');
      const below = (method: string, path: string) => isBelow(path, prefix) && shownOf('pos')(method, path);
      const parts = [
        ...(pos ? [{ name: 'pos', document: prefix === VEXP ? withPlainNames(pos) : pos, shown: below }] : []),
        { name: 'gateway', document: describeOwnVersion(publicUrl, prefix, operationId), shown: everything },
      ];
      return whole('B', publicUrl, parts);
    });
  const errors = serialise(success({ items: errorItems }));
  return new Map([
    ['/openapi.json', institution],
    ['/errors', () => errors],
    ...versions.map((row) => [`${row.prefix}/openapi.json`, version(row)] as const),
  ]);
}

/** A document is rebuilt only when a source description has changed. */
const rememberDocument = (
  routing: Routing,
  make: (documents: ReturnType<Routing['documents']>) => object,
): (() => Content) => {
  let madeOf: readonly OpenApiDocument[] = [];
  let made: Content | undefined;
  return () => {
    const documents = routing.documents();
    const now = [...documents.values()];
    const same = made !== undefined && now.length === madeOf.length && now.every((one, index) => one === madeOf[index]);
    if (!made || !same) {
      made = serialise(make(documents));
      madeOf = now;
    }
    return made;
  };
};

const serialise = (value: object): Content => {
  const body = Buffer.from(JSON.stringify(value));
  return { ...createContent(body, HEADERS), gzipped: compress(body) };
};

/** The experimental version's schemas take the place of those that they extend: `Cart` is the cart of that version. */
const withPlainNames = (document: OpenApiDocument): OpenApiDocument => {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const plain = (name: string): string => name.replace(EXPERIMENTAL, '$1$2');
  const replaced = new Set(
    schemas
      .map(([name]) => name)
      .filter((name) => EXPERIMENTAL.test(name))
      .map(plain),
  );
  const kept = schemas.filter(([name]) => !replaced.has(name)).map(([name, schema]) => [plain(name), schema]);
  const whole = JSON.stringify({
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(kept) },
  });
  return JSON.parse(
    whole.replaceAll(/"#\/components\/schemas\/([^"]+)"/g, (_, name) => `"#/components/schemas/${plain(name)}"`),
  );
};
