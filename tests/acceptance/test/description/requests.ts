import fc from 'fast-check';

/** A JSON Schema, as far as the descriptions use it for requests. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: { readonly pattern?: string };
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly readOnly?: boolean;
}

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

type TextForm = Pick<Schema, 'format' | 'pattern' | 'minLength' | 'maxLength'>;

const textsOf = onceForEach(({ format, pattern, minLength = 0, maxLength = Number.MAX_SAFE_INTEGER }: TextForm) => {
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
export function createWrongValue(schema: Schema): unknown {
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  const types = [schema, ...choices].flatMap(({ type = [] }) => type);
  if (types.length === 0 && !schema.enum && choices.length === 0) return undefined;
  return types.includes('object') ? 7 : types.includes('array') ? 'x' : { not: 'this' };
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>>;
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { readonly schema: Schema }> };
}

/** A description as the gateway serves it. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

/** An operation of a description, as far as requests are generated from it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly needsSession: boolean;
  readonly params: readonly Parameter[];
  readonly query: readonly Parameter[];
  /** The members of the data of its 200, in each of its forms. */
  readonly answered: readonly string[];
  readonly body?: { readonly required: boolean; readonly mediaType: string; readonly schema: Schema };
}

/** One request before serialization. */
export interface Filled {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined for no body. */
  readonly body: unknown;
}

/** Every operation of a description, with the schemas of its requests. */
export function listOperations({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, { operationId, security, parameters = [], responses, requestBody }]): Operation => {
        const [[mediaType, content] = []] = Object.entries(requestBody?.content ?? {});
        return {
          id: operationId,
          method: method.toUpperCase(),
          path,
          needsSession: security.every((one) => 'sessionToken' in one),
          params: parameters.filter((one) => one.in === 'path'),
          query: parameters.filter((one) => one.in === 'query'),
          answered: answeredOf(responses['200']),
          ...(requestBody && mediaType && content
            ? { body: { required: requestBody.required, mediaType, schema: content.schema } }
            : {}),
        };
      },
    ),
  );
}

const answeredOf = (response: Described['responses'][string] | undefined): string[] => {
  const { data } = response?.content?.['application/json']?.schema.properties ?? {};
  const forms = data?.anyOf ?? [data];
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

const recordOf = (parameters: readonly Parameter[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema)])), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
  });

/** Values that the schema allows. @throws {Error} on an unknown keyword */
const valuesOf = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.$ref !== undefined) throw new Error(`${schema.$ref} is to be resolved first`);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(valuesOf));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.jsonValue({ maxDepth: 1 });
  return fc.oneof(...types.map((type) => ofType(type, schema)));
};

const ofType = (type: string, schema: Schema): fc.Arbitrary<unknown> => {
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

const numbers = ({ minimum, exclusiveMinimum, maximum = 1e12 }: Schema) =>
  fc.double({
    min: exclusiveMinimum ?? minimum ?? -1e12,
    minExcluded: exclusiveMinimum !== undefined,
    max: maximum,
    noNaN: true,
    noDefaultInfinity: true,
  });

const texts = ({ format, pattern, minLength, maxLength }: Schema): fc.Arbitrary<string> =>
  textsOf({
    ...(format !== undefined && { format }),
    ...(pattern !== undefined && { pattern }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
  });

const lists = ({ items = {}, minItems = 0, maxItems = ITEMS, uniqueItems = false }: Schema) => {
  const length = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, ITEMS)) };
  return uniqueItems ? fc.uniqueArray(valuesOf(items), length) : fc.array(valuesOf(items), length);
};

const objects = ({
  properties = {},
  additionalProperties,
  propertyNames = {},
  required = [],
  minProperties = 0,
}: Schema) => {
  if (typeof additionalProperties === 'object') {
    const { pattern = '^.*$' } = propertyNames;
    return fc.dictionary(matching(pattern), valuesOf(additionalProperties), {
      minKeys: minProperties,
      maxKeys: ITEMS,
    });
  }
  const sent = Object.entries(properties).filter(([, { readOnly = false }]) => !readOnly);
  return fc
    .record(Object.fromEntries(sent.map(([name, schema]) => [name, valuesOf(schema)])), {
      requiredKeys: required.filter((name) => !properties[name]?.readOnly),
    })
    .filter((value) => Object.keys(value).length >= minProperties);
};

/** A cursor is opaque: only a list can produce one. */
const isMadeUp = ({ name }: Parameter): boolean => name !== 'cursor';

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
