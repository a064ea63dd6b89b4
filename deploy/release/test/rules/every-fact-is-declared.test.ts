import { createCheck } from '@boxoffice/http';
import { declared } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import { processes } from '../../src/processes.ts';

const facts = processes.flatMap(({ name, publishes }) =>
  Object.entries(publishes).map(([type, { schema, example }]) => ({ name, type, schema, example })),
);

test.each(facts)('$type of $name: its example is as it is declared', ({ schema, example }) => {
  expect(() => createCheck(schema as never)(example)).not.toThrow();
});

test('what the topology names is what is published, once', () => {
  const named = [...declared.queues, ...declared.broadcasts].flatMap(({ types }) => types);
  expect(facts.map(({ type }) => type).toSorted()).toEqual([...new Set(named)].toSorted());
});
