/** A JSON Schema as our own descriptions write it. */
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

/** Keywords that say at least, with the word for it. */
export const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Keywords that say at most. */
export const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
/** Keywords of which only the very same is known to mean no less and no more. */
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

/** @throws an Error that names a keyword whose meaning the comparison does not know */
export const refuseUnknown = (schema: Schema): void => {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0)
    throw new Error(`the comparison of schemas does not know ${unknown.join(', ')}: teach it (deploy/release)`);
};

/** The members that JSON has of any name. */
const ANY_NAME = '^.*$';

/** A record in the one form that is compared, `patternProperties`, whichever of its two forms the schema has. */
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
