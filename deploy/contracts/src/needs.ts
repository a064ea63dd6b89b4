import { type Description, operationsOf, type Response, type Schema } from '@boxoffice/codegen';
import { dereferenced } from '@boxoffice/http';
import { compareDescriptions, type Finding } from './compare/descriptions.ts';
import { compareSchemas } from './compare/schemas.ts';

const each = <One, Other>(all: Readonly<Record<string, One>>, change: (one: One) => Other): Record<string, Other> =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one)]));

/** The schema without optional members: a reader copes without them, as beside the release before them. */
const withoutOptional = (schema: Schema): Schema => {
  const { properties, required = [], items, additionalProperties, allOf, anyOf, oneOf } = schema;
  const all = (some: readonly Schema[] | undefined) => some?.map(withoutOptional);
  const changed = {
    properties:
      properties &&
      Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => required.includes(name))
          .map(([name, member]) => [name, withoutOptional(member)]),
      ),
    items: items && withoutOptional(items),
    additionalProperties:
      typeof additionalProperties === 'object' ? withoutOptional(additionalProperties) : additionalProperties,
    allOf: all(allOf),
    anyOf: all(anyOf),
    oneOf: all(oneOf),
  };
  return { ...schema, ...Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) };
};

/** What a caller reads of a success. */
const readOf = ({ content = {} }: Response): Response => ({
  content: each(content, ({ schema }) => ({ schema: withoutOptional(schema) })),
});

/** The description with these operations only, and of their answers what a caller cannot do without. */
const neededOf = (description: Description, ids: readonly string[]): Description => {
  const whole = dereferenced(description);
  const paths = each(whole.paths, (item) =>
    Object.fromEntries(
      Object.entries(item)
        .filter(([, { operationId }]) => ids.includes(operationId))
        .map(([method, operation]) => {
          const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
          return [method, { ...operation, responses: each(Object.fromEntries(successes), readOf) }];
        }),
    ),
  );
  return { ...whole, paths };
};

/** Findings that compare what is expected with what is there, in place of a state before and after. */
const there = <Some extends Finding>(found: readonly Some[]): Some[] =>
  found.map((one) => ({ ...one, what: one.what.replace(/is gone$/, 'is missing').replace(/ now$/, ' there') }));

const idsIn = (description: Description): string[] =>
  [...operationsOf(description).values()].map(({ operation }) => operation.operationId);

/**
 * What a caller lacks that was built for one description of these operations and meets another: whole operations,
 * required members of successes, and what it may send. Of an operation that `expected` lacks only the id is known.
 */
export const missingOperations = (
  expected: Description | undefined,
  actual: Description,
  ids: readonly string[],
): Finding[] => {
  const [known, present] = [expected ? idsIn(expected) : [], idsIn(actual)];
  const absent = ids.filter((id) => !known.includes(id) && !present.includes(id));
  return [
    ...(expected ? there(compareDescriptions(neededOf(expected, ids), actual)) : []),
    ...absent.map((id) => ({ where: `operation ${id}`, what: 'is missing' })),
  ];
};

/** What a consumer lacks that was built for one schema of a fact and meets another: its required members. */
export const missingMembers = (type: string, expected: Schema, actual: Schema): Finding[] =>
  there(
    compareSchemas(withoutOptional(expected), actual, 'answer').map(({ path, what }) => ({
      where: `fact ${type}`,
      what: `${path} ${what}`,
    })),
  );
