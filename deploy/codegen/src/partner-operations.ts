import {
  type Body,
  type Described,
  type Description,
  isObject,
  type Json,
  type Parameter,
  type Response,
  resolveIn,
  resolvePart,
} from './index.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const STREAM_TYPE = 'text/event-stream';

export interface PartnerOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly operation: Described;
  /** Whether it needs a token, takes an API key instead, or needs neither. */
  readonly access: 'token' | 'key' | 'open';
  /** The operation with its parts in place, reduced to what types follow from. */
  readonly reduced: Json;
  readonly argument: string;
  /** What its method returns: with a token, and without one. */
  readonly answer: string;
  readonly publicAnswer: string;
  /** Its row in the route table: method, path, and the properties that differ from the usual. */
  readonly row: string;
}

const SCHEMA = '#/components/schemas/';

/** The types of the calls of lists. */
const WRAPPERS = { list: 'List', map: 'RecordList' } as const;

interface Answered {
  readonly full: string;
  readonly public: string;
  readonly isBare: boolean;
  /** A list in pages: of items, or of a map of records by id; undefined if it is none. */
  readonly list: keyof typeof WRAPPERS | undefined;
  /** The media types of an answer that is not JSON. */
  readonly media: readonly string[];
}

export function listPartnerOperations(description: Description): PartnerOperation[] {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => partnerOperation(description, method, path, operation)),
  );
}

const partnerOperation = (
  description: Description,
  method: string,
  path: string,
  operation: Described,
): PartnerOperation => {
  const { operationId: id, summary = '', parameters: own = [] } = operation;
  const parameters = own.map((one) => resolvePart<Parameter>(description, one));
  const within = (place: string) => parameters.filter((one) => one.in === place);
  const hasHeader = (name: string): boolean => within('header').some((one) => one.name === name);
  const body = operation.requestBody && resolvePart<Body>(description, operation.requestBody);
  const answer = answerOf(
    description,
    operation,
    within('query').map(({ name }) => name),
  );
  const [status, success] = successOf(description, operation);
  const access = accessOf(operation);
  const place = `operations['${id}']['parameters']`;
  const isQueryNeeded = within('query').some(({ required }) => required);
  const members = [
    ...(within('path').length > 0 ? [`path: ${place}['path']`] : []),
    ...(within('query').length > 0 ? [`query${isQueryNeeded ? '' : '?'}: ${place}['query']`] : []),
    ...(body ? [`body${body.required ? '' : '?'}: ${bodyTypeOf(id, body)}`] : []),
    ...(hasHeader('Idempotency-Key') ? ['idempotencyKey?: string'] : []),
    ...(hasHeader('If-Match') ? ['ifMatch?: string'] : []),
    ...(hasHeader('If-None-Match') ? ['ifNoneMatch?: string'] : []),
    ...(answer.media.length > 0 ? [`accept?: ${answer.media.map((type) => `'${type}'`).join(' | ')}`] : []),
  ];
  const isNeeded = members.some((one) => /^(path|query|body):/.test(one));
  const type = members.length > 0 ? `{ ${members.join('; ')} } & Options` : 'Options';
  const wrap = (data: string): string => `${answer.list ? WRAPPERS[answer.list] : 'Call'}<${data}>`;
  const properties = [
    ...(hasHeader('Idempotency-Key') ? ['key'] : []),
    ...(access === 'open' ? ['open'] : []),
    ...(body?.content[FORM_TYPE] ? ['form'] : []),
    ...(answer.isBare && answer.media.length === 0 ? ['bare'] : []),
    ...(answer.media.length > 0 ? ['blob'] : []),
    ...(answer.list ? [answer.list] : []),
  ];
  return {
    id,
    method,
    path,
    summary,
    operation,
    access,
    reduced: {
      operationId: id,
      summary,
      parameters: [...within('path'), ...within('query')],
      ...(body && { requestBody: { required: body.required, content: body.content } }),
      responses: { [status]: { description: 'OK', content: success.content ?? {} } },
    },
    argument: `request${isNeeded ? '' : '?'}: ${type}`,
    answer: wrap(answer.full),
    publicAnswer: wrap(answer.public),
    row: [method.toUpperCase(), path, ...properties].join(' '),
  };
};

const answerOf = (description: Description, operation: Described, queries: readonly string[]): Answered => {
  const [status, { content = {} }] = successOf(description, operation);
  const media = Object.keys(content).filter((type) => type !== STREAM_TYPE);
  if (!media.includes(JSON_TYPE)) return { full: 'Blob', public: 'Blob', isBare: true, list: undefined, media };
  const resolve = (schema: unknown): Json =>
    nameOf(schema) === undefined ? (schema as Json) : resolveIn(description)<Json>((schema as Json).$ref as string);
  const schema = content[JSON_TYPE]?.schema;
  const { properties = {} } = resolve(schema) as { readonly properties?: Json };
  const isBare = !('data' in properties && ('status' in properties || 'success' in properties));
  const data = isBare ? schema : properties.data;
  const place = `operations['${operation.operationId}']['responses'][${status}]['content']['${JSON_TYPE}']`;
  const forms = formsOf(data) ?? [isBare ? place : `${place}['data']`];
  const isPublic = (name: string): boolean => name.startsWith('Public');
  const some = (wanted: readonly string[]): string => (wanted.length > 0 ? wanted : forms).join(' | ');
  const [first] = isObject(data) && Array.isArray(data.anyOf) ? data.anyOf : [data];
  const { items } = (resolve(first).properties ?? {}) as Json;
  const isMap = isObject(resolve(first).additionalProperties) && queries.includes('offset');
  return {
    full: some(forms.filter((name) => !isPublic(name))),
    public: some(forms.filter(isPublic)),
    isBare,
    list: isMap ? 'map' : isObject(items) && items.type === 'array' && !queries.includes('after') ? 'list' : undefined,
    media: [],
  };
};

const successOf = (description: Description, { operationId, responses }: Described): [string, Response] => {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'));
  if (!found) throw new Error(`${operationId} has no success`);
  return [found[0], resolvePart(description, found[1])];
};

const nameOf = (schema: unknown): string | undefined =>
  isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref.slice(SCHEMA.length) : undefined;

/** The alternatives of a schema: with a token the first form, without one that whose name begins with Public. */
const formsOf = (schema: unknown): readonly string[] | undefined => {
  const name = nameOf(schema);
  if (name !== undefined) return [name];
  const names = isObject(schema) && Array.isArray(schema.anyOf) ? schema.anyOf.map(nameOf) : [];
  return names.length > 0 && names.every((one) => one !== undefined) ? names : undefined;
};

const accessOf = ({ security }: Described): PartnerOperation['access'] => {
  if (security.length === 0) return 'open';
  return security.some((one) => 'apiKey' in one) ? 'key' : 'token';
};

const bodyTypeOf = (operationId: string, body: Body): string => {
  const type = body.content[JSON_TYPE] ? JSON_TYPE : FORM_TYPE;
  const place = `operations['${operationId}']['requestBody']`;
  return (
    nameOf(body.content[type]?.schema) ?? `${body.required ? place : `NonNullable<${place}>`}['content']['${type}']`
  );
};
