import { createHash } from 'node:crypto';
import { type TProperties, Type } from 'typebox';
import { type Family, familyA } from '../families/family.ts';
import { getDeprecation } from '../named.ts';
import { type AnyOperation, ok, operation } from '../operation.ts';
import { listPlaces, type Place, TAKES_BODY } from '../shape.ts';
import { createBodySchema, createFormSchema } from '../validation/body-schema.ts';
import { createSchemas, type Schemas } from './named-schemas.ts';
import { removeUnusedComponents, shareRepeatedParts } from './references.ts';
import { describeResponses, includeIf } from './responses.ts';
import { type DescribedWebhook, describeWebhooks, MESSAGES } from './webhooks.ts';

export interface DescriptionOptions {
  readonly service: string;
  readonly version: string;
  readonly operations: readonly AnyOperation[];
  /** The gateway's public address; default: the address that served the description. Clients get tokens below it. */
  readonly serverUrl?: string;
  readonly webhooks?: readonly DescribedWebhook[];
  readonly tags?: Tags;
  readonly family?: Family;
  readonly readers?: 'partners' | 'services';
}

/** Nouns of the interface, as its paths have them, and what each is. The first stands for paths that have none. */
export type Tags = Readonly<Record<string, string>>;

const IDENTITY = { identity: { type: 'apiKey', in: 'header', name: 'X-Internal-Identity' } };

export function buildOpenApiDocument(options: DescriptionOptions): object {
  const { service, version, operations, serverUrl = '/', family = familyA, readers = 'partners' } = options;
  const { wording } = family;
  const places = listPlaces(operations, wording.aliasSuffix).filter(
    (place) => isInternal(place) === (readers === 'services'),
  );
  const tokenUrl = `${serverUrl.replace(/\/$/, '')}/auth/token`;
  const byPath = Map.groupBy(places, ({ path }) => path);
  const schemas = createSchemas();
  const { webhooks = [] } = readers === 'partners' ? options : {};
  const { tags = { [service]: `What ${service} does.` } } = options;
  const document = {
    openapi: '3.1.0',
    info: { title: `boxoffice ${service}`, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: serverUrl }],
    tags: [
      ...Object.entries(tags).map(([name, description]) => ({ name, description })),
      ...(webhooks.length > 0 ? [MESSAGES] : []),
    ],
    paths: Object.fromEntries(
      [...byPath].map(([path, at]) => [
        path,
        Object.fromEntries(
          at.map((place) => [place.operation.method, operationObject(place, { service, tags, family }, schemas)]),
        ),
      ]),
    ),
    ...includeIf(webhooks.length > 0, { webhooks: describeWebhooks(webhooks, schemas) }),
    components: {
      ...wording.components(),
      securitySchemes:
        readers === 'services'
          ? IDENTITY
          : wording.securitySchemes(
              tokenUrl,
              places.map(({ operation }) => operation),
            ),
    },
  };
  return removeUnusedComponents(shareRepeatedParts(schemas.into(document) as never, wording.sharedFrom));
}

const isInternal = ({ path, operation }: Place): boolean =>
  operation.access === 'internal' || path.startsWith('/internal/');

const operationObject = (
  { id, path, operation }: Place,
  { service, tags, family }: { readonly service: string; readonly tags: Tags; readonly family: Family },
  schemas: Schemas,
) => {
  const requestBody = requestBodyOf(operation, family, schemas);
  return {
    operationId: id,
    summary: operation.summary,
    ...includeIf(operation.description, { description: operation.description }),
    ...includeIf(operation.deprecated, { deprecated: true }),
    tags: [tagOf(path, tags)],
    'x-service': service,
    ...includeIf(operation.answersWithin, { 'x-answers-within': operation.answersWithin }),
    security: securityOf(operation, family),
    parameters: parametersOf(operation, family, schemas),
    ...includeIf(requestBody, { requestBody }),
    responses: describeResponses(operation, family, schemas),
  };
};

const requestBodyOf = (operation: AnyOperation, { needsMediaType }: Family, schemas: Schemas): object | undefined => {
  if (!TAKES_BODY.has(operation.method) || (!operation.body && !needsMediaType)) return undefined;
  const { required = [] } = { ...operation.body } as { required?: readonly string[] };
  const { form, needsBody, method } = operation;
  return {
    required: needsMediaType || form === true || needsBody === true || required.length > 0 || method === 'put',
    content: {
      [operation.form ? 'application/x-www-form-urlencoded' : 'application/json']: {
        schema: describedBody(operation, schemas),
        examples: { [operation.id]: { value: operation.example.body ?? {} } },
      },
    },
  };
};

const describedBody = (operation: AnyOperation, schemas: Schemas): object => {
  const { body, readOnly, form } = operation;
  if (form) return schemas.answer(createFormSchema(operation));
  if (!body) return createBodySchema(operation);
  return schemas.request(body, readOnly);
};

const tagOf = (path: string, tags: Tags): string =>
  path.split('/').findLast((segment) => Object.hasOwn(tags, segment)) ?? Object.keys(tags)[0] ?? 'other';

const securityOf = (operation: AnyOperation, { wording }: Family): readonly object[] => {
  if (operation.access === 'public') return [];
  return operation.access === 'internal' ? [{ identity: [] }] : wording.security(operation);
};

const parametersOf = (operation: AnyOperation, { wording }: Family, schemas: Schemas): object[] => {
  const describeParameters = (where: 'path' | 'query', properties: TProperties = {}, examples: object = {}) =>
    Object.entries(properties).map(([name, schema]) => {
      const { description } = schema as { description?: string };
      const example = (examples as Record<string, unknown>)[name];
      return {
        name,
        in: where,
        required: where === 'path' || !('~optional' in schema),
        ...includeIf(description, { description }),
        ...includeIf(getDeprecation(schema), { deprecated: true }),
        schema: schemas.answer(schema),
        ...includeIf(example !== undefined, { example }),
      };
    });
  return [
    ...describeParameters('path', operation.params, operation.example.params),
    ...describeParameters('query', operation.query, operation.example.query),
    ...wording.parameters(operation),
  ];
};

export function createDescriptionOperation(options: DescriptionOptions): AnyOperation {
  return serving('describe', '/openapi.json', 'Describes the operations of this service', () =>
    buildOpenApiDocument(options),
  );
}

/** An operation that serves a document; made at the first request, since most processes never serve one. */
const serving = (id: string, path: string, summary: string, make: () => object): AnyOperation => {
  let made: { readonly document: object; readonly etag: string } | undefined;
  const makeOnce = () => {
    const document = make();
    return { document, etag: createHash('sha256').update(JSON.stringify(document)).digest('base64url').slice(0, 22) };
  };
  return operation({
    id,
    method: 'get',
    path,
    access: 'public',
    summary,
    answers: { 200: Type.Object({}) },
    bare: true,
    etag: true,
    compressed: true,
    isRoutine: true,
    example: { answer: {} },
    handle: () => {
      made ??= makeOnce();
      return ok(made.document, { etag: made.etag });
    },
  });
};

/** What other services rely on: internal operations and `contract`. Needs no credentials; no gateway routes to it. */
export function createInternalDescriptionOperation(
  options: DescriptionOptions & { readonly contract?: object },
): AnyOperation {
  return serving('describeInternally', '/internal/openapi.json', 'Describes what other services rely on', () => ({
    ...buildOpenApiDocument({ ...options, readers: 'services' }),
    ...options.contract,
  }));
}
