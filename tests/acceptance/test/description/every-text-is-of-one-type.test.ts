import { expect, test } from '@jest/globals';
import { descriptions, type Json } from './descriptions.ts';

/** Texts that are compared to the letter, or that another standard reads. A new one is decided here. */
const OPAQUE = [
  ...['after', 'barcode', 'contactNumber', 'createdBy', 'cursor', 'eventId', 'id', 'resource'],
  // Of SVG.
  ...['logo', 'outline'],
  // Passwords, logins (compared by a key of their own) and OAuth.
  ...['current', 'new', 'login', 'password', 'origins', 'redirectUris'],
  ...[
    'client_id',
    'client_secret',
    'code_verifier',
    'redirect_uri',
    'refresh_token',
    'scope',
    'token',
    'token_type_hint',
  ],
  // Of the form of the token endpoint; elsewhere a code is a text of one line.
  'code',
  // Filters and names with rules of their own, which refuse or normalise what they do not know.
  ...['email', 'lang', 'q', 'timeZone', 'types', 'venue'],
];

const isOpaque = (name: string): boolean => OPAQUE.includes(name) || /Ids?$/.test(name);

/** Names of the texts of requests whose form nothing determines: neither a list, a format, a pattern nor a normalising. */
const freeTexts = (description: Json): string[] => {
  const names = new Set<string>();
  const resolved = (schema: Json): Json =>
    typeof schema.$ref === 'string'
      ? resolved(
          schema.$ref
            .split('/')
            .slice(1)
            .reduce((at: Json, step) => at[step] as Json, description),
        )
      : schema;
  const walk = (given: unknown, name: string): void => {
    // What is sent back as it was read is only compared.
    if ((given as Json | undefined)?.readOnly) return;
    const schema = resolved((given ?? {}) as Json);
    const { type = [], properties = {}, additionalProperties, items, anyOf = [], oneOf = [], allOf = [] } = schema;
    const isDetermined = ['enum', 'const', 'format', 'pattern', 'x-normalise'].some((one) => one in schema);
    if ([type].flat().includes('string') && !isDetermined) names.add(name);
    for (const [member, inner] of Object.entries(properties as Json)) walk(inner, member);
    if (typeof additionalProperties === 'object') walk(additionalProperties, name);
    if (items !== undefined) walk(items, name);
    for (const part of [anyOf, oneOf, allOf].flat()) walk(part, name);
  };
  for (const item of Object.values(description.paths as Json))
    for (const { parameters = [], requestBody = {} } of Object.values(item as Record<string, Json>)) {
      for (const { schema } of Object.values((resolved(requestBody as Json).content ?? {}) as Record<string, Json>))
        walk(schema, 'body');
      for (const parameter of (parameters as Json[]).map(resolved))
        if (parameter.in === 'query') walk(parameter.schema, String(parameter.name));
    }
  return [...names];
};

test('every text of a request is a text of one line or of several, has a form, or is compared to the letter', () => {
  const found = descriptions.flatMap(freeTexts);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((name) => !isOpaque(name))).toEqual([]);
});

test('negative control: a free text is found, in a list and behind a reference as well', () => {
  const schema = { properties: { name: { type: 'string' }, tags: { items: { $ref: '#/components/schemas/Tag' } } } };
  const post = { requestBody: { content: { 'application/json': { schema } } } };
  const components = { schemas: { Tag: { type: ['string', 'null'] } } };
  expect(freeTexts({ paths: { '/things': { post } }, components })).toEqual(['name', 'tags']);
});
