import type { Json } from '@boxoffice/testkit';
import fc from 'fast-check';

/** The usual bound of generated texts and lists; longer ones add no coverage, except the schema's exact maximum. */
const TEXT = 30;
const ITEMS = 4;

const instants = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc.oneof(
    instants,
    instants.map((text) => text.replace('Z', '+05:30')),
  ),
  date: instants.map((text) => text.slice(0, 10)),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
  'idn-email': fc.oneof(
    fc.emailAddress(),
    fc.constantFrom('tést@exämple.org', '用户@例子.广告', 'a@xn--exmple-cua.org', ' Δοκιμή@Παράδειγμα.δοκιμή '),
  ),
};

/** Makes what generates the texts of each form once: that takes far longer than to generate some. */
const onceForEach = <Form>(make: (form: Form) => fc.Arbitrary<string>) => {
  const made = new Map<string, fc.Arbitrary<string>>();
  return (form: Form): fc.Arbitrary<string> => {
    const name = JSON.stringify(form);
    const known = made.get(name) ?? make(form);
    made.set(name, known);
    return known;
  };
};

const matching = onceForEach((pattern: string) => fc.stringMatching(new RegExp(pattern, 'u')));

const textsOf = onceForEach(({ format, pattern, minLength = 0, maxLength = Number.MAX_SAFE_INTEGER }: Json) => {
  const fits = (text: string): boolean => [...text].length >= minLength && [...text].length <= maxLength;
  const known = format === undefined ? undefined : formats[format];
  if (format !== undefined && !known) throw new Error(`no values of the format ${format}`);
  if (known) return known.filter(fits);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 }).filter(fits);
  const some = fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + TEXT) })
    .filter(fits);
  // The longest ones, in characters and not in UTF-16 units.
  return maxLength > 2_000 ? some : fc.oneof({ weight: 9, arbitrary: some }, fc.constant('🎭'.repeat(maxLength)));
});

/** A value that the schema forbids; undefined if it allows everything, or every text of a parameter. */
export function createWrongValue(schema: Json): unknown {
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  const types = [schema, ...choices].flatMap(({ type = [] }: Json) => type);
  if (types.length === 0 && !schema.enum && choices.length === 0) return undefined;
  return types.includes('object') ? 7 : types.includes('array') ? 'x' : { not: 'this' };
}

/** An operation of a description, as far as requests are generated from it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly needsSession: boolean;
  readonly params: readonly Json[];
  readonly query: readonly Json[];
  /** The members of the data of its 200, in each of its forms. */
  readonly answered: readonly string[];
  readonly body?: { readonly required: boolean; readonly mediaType: string; readonly schema: Json };
}

/** One request before serialization. */
export interface Filled {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined for no body. */
  readonly body: unknown;
}

/** Every operation of a description, with the schemas of its requests. */
export function listOperations({ paths }: Json): Operation[] {
  return Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, { operationId, security, parameters = [], responses, requestBody }]) => {
      const [[mediaType, content] = []] = Object.entries<Json>(requestBody?.content ?? {});
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        needsSession: security.every((one: object) => 'sessionToken' in one),
        params: parameters.filter((one: Json) => one.in === 'path'),
        query: parameters.filter((one: Json) => one.in === 'query'),
        answered: listAnswered(responses['200']),
        ...(mediaType && { body: { required: requestBody.required, mediaType, schema: content.schema } }),
      };
    }),
  );
}

const listAnswered = (response: Json): string[] => {
  const { data } = response?.content?.['application/json']?.schema.properties ?? {};
  const forms: Json[] = data?.anyOf ?? [data];
  const [first = [], ...others] = forms.map((form) => Object.keys(form?.properties ?? {}));
  return first.filter((name) => others.every((names) => names.includes(name)));
};

/** Requests that the operation's description allows. */
export function generateRequests({ params, query, body }: Operation): fc.Arbitrary<Filled> {
  return fc.record({
    params: recordOf(params),
    query: recordOf(query.filter(isMadeUp)),
    body: body
      ? body.required
        ? valuesOf(body.schema)
        : fc.option(valuesOf(body.schema), { nil: undefined })
      : fc.constant(undefined),
  });
}

const recordOf = (parameters: readonly Json[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema)])), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
  });

/** Values that the schema allows. @throws {Error} on an unknown keyword */
const valuesOf = (schema: Json): fc.Arbitrary<unknown> => {
  if (schema.$ref !== undefined) throw new Error(`${schema.$ref} is to be resolved first`);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(valuesOf));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.jsonValue({ maxDepth: 1 });
  return fc.oneof(...types.map((type) => ofType(type, schema)));
};

const ofType = (type: string, schema: Json): fc.Arbitrary<unknown> => {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return numbers(schema);
    case 'string':
      return texts(schema);
    case 'array':
      return lists(schema);
    default:
      return objects(schema);
  }
};

const numbers = ({ minimum, exclusiveMinimum, maximum = 1e12 }: Json) =>
  fc.double({
    min: exclusiveMinimum ?? minimum ?? -1e12,
    minExcluded: exclusiveMinimum !== undefined,
    max: maximum,
    noNaN: true,
    noDefaultInfinity: true,
  });

const texts = ({ format, pattern, minLength, maxLength }: Json): fc.Arbitrary<string> =>
  textsOf({ format, pattern, minLength, maxLength });

const lists = ({ items = {}, minItems = 0, maxItems = ITEMS, uniqueItems = false }: Json) => {
  const length = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, ITEMS)) };
  return uniqueItems ? fc.uniqueArray(valuesOf(items), length) : fc.array(valuesOf(items), length);
};

const objects = ({
  properties = {},
  additionalProperties,
  propertyNames = {},
  required = [],
  minProperties = 0,
}: Json) => {
  if (typeof additionalProperties === 'object') {
    const { pattern = '^.*$' } = propertyNames;
    return fc.dictionary(matching(pattern), valuesOf(additionalProperties), {
      minKeys: minProperties,
      maxKeys: ITEMS,
    });
  }
  const sent = Object.entries<Json>(properties).filter(([, { readOnly = false }]) => !readOnly);
  return fc
    .record(Object.fromEntries(sent.map(([name, schema]) => [name, valuesOf(schema)])), {
      requiredKeys: required.filter((name: string) => !properties[name]?.readOnly),
    })
    .filter((value) => Object.keys(value).length >= minProperties);
};

/** A cursor is opaque: only a list can produce one. */
const isMadeUp = ({ name }: Json): boolean => name !== 'cursor';

/** The serialized request. */
export function serialiseRequest(operation: Operation, { params, query, body }: Filled) {
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(String(params[name])));
  const search = encoded(query);
  const mediaType = operation.body?.mediaType ?? 'application/json';
  return {
    method: operation.method,
    path: search === '' ? path : `${path}?${search}`,
    ...(body === undefined
      ? {}
      : {
          headers: { 'content-type': mediaType },
          body: mediaType === 'application/json' ? JSON.stringify(body) : encoded(body as Record<string, unknown>),
        }),
  };
}

const encoded = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
