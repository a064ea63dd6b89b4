import type { Schema } from '@boxoffice/codegen';

/** Lower bounds, with their names in messages. */
export const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Upper bounds, with their names in messages. */
export const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
/** Keywords that are compared by equality only. */
export const COMPARED_BY_EQUALITY = ['pattern', 'format', 'multipleOf', 'uniqueItems'] as const;

/** How texts and names of members are read before their other constraints. */
export const NORMALISING = ['x-normalise', 'x-normalise-names'] as const;

/** Keywords that promise nothing to a caller; the comparison ignores them. */
const ANNOTATIONS = ['description', 'title', 'examples', 'example', 'deprecated', '$comment', 'discriminator'];

const KNOWN: ReadonlySet<string> = new Set([
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
  ...COMPARED_BY_EQUALITY,
  ...ANNOTATIONS,
  ...['$ref', 'type', 'const', 'enum', 'properties', 'patternProperties', 'additionalProperties', 'required', 'items'],
  ...['propertyNames', 'unevaluatedProperties', 'allOf', 'anyOf', 'oneOf'],
  // Not part of the shape of values, but compared.
  ...['default', 'readOnly', ...NORMALISING],
]);

/** @throws {Error} naming a keyword that the comparison does not know */
export const refuseUnknown = (schema: Schema): void => {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0)
    throw new Error(`the comparison of schemas does not know ${unknown.join(', ')}: add it to tests/compatibility`);
};

/** The pattern of a map whose keys are not restricted. */
const ANY_NAME = '^.*$';

/**
 * Rewrites a map schema (only additionalProperties, perhaps propertyNames.pattern) as patternProperties; returns any
 * other unchanged.
 * @throws {Error} if propertyNames has more than a pattern, or stands in a schema that is not a map
 */
export const asRecord = (schema: Schema): Schema => {
  const { properties, additionalProperties, propertyNames, ...rest } = schema;
  if (typeof additionalProperties !== 'object' || properties || rest.patternProperties) {
    if (propertyNames)
      throw new Error('the comparison of schemas knows propertyNames of records only (tests/compatibility)');
    return schema;
  }
  const { pattern = ANY_NAME, ...others } = propertyNames ?? {};
  if (Object.keys(others).length > 0)
    throw new Error('the comparison of schemas knows the pattern of propertyNames only (tests/compatibility)');
  return { ...rest, patternProperties: { [String(pattern)]: additionalProperties }, additionalProperties: false };
};
