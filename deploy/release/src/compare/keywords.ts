/** A JSON Schema in the form that the services' descriptions use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly unevaluatedProperties?: boolean;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** Lower bounds, with their names in messages. */
export const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Upper bounds, with their names in messages. */
export const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
/** Keywords that are compared by equality only. */
export const SAME = ['pattern', 'format', 'multipleOf', 'uniqueItems'] as const;

const WORDS = ['description', 'title', 'examples', 'example', 'deprecated', '$comment', 'default', 'readOnly'];

const KNOWN: ReadonlySet<string> = new Set([
  ...LEAST,
  ...MOST,
  ...SAME,
  ...WORDS,
  ...['$ref', 'type', 'const', 'enum', 'properties', 'patternProperties', 'additionalProperties', 'required', 'items'],
  ...['propertyNames', 'unevaluatedProperties', 'allOf', 'anyOf', 'oneOf', 'x-normalise'],
]);

/** @throws {Error} naming a keyword that the comparison does not know */
export const refuseUnknown = (schema: Schema): void => {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0)
    throw new Error(`the comparison of schemas does not know ${unknown.join(', ')}: add it to deploy/release`);
};

/** The members of a JSON value by name. */
const ANY_NAME = '^.*$';

/** A record normalized to `patternProperties`, whichever of its two forms the schema has. */
export const asRecord = (schema: Schema): Schema => {
  const { properties, additionalProperties, propertyNames, ...rest } = schema;
  if (typeof additionalProperties !== 'object' || properties || rest.patternProperties) {
    if (propertyNames)
      throw new Error('the comparison of schemas knows propertyNames of records only (deploy/release)');
    return schema;
  }
  const { pattern = ANY_NAME, ...others } = propertyNames ?? {};
  if (Object.keys(others).length > 0)
    throw new Error('the comparison of schemas knows the pattern of propertyNames only (deploy/release)');
  return { ...rest, patternProperties: { [String(pattern)]: additionalProperties }, additionalProperties: false };
};
