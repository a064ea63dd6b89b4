import { processes } from '@boxoffice/contracts';
import { createCheck } from '@boxoffice/http';
import { declared } from '@boxoffice/messaging';
import { builtInRows } from '@boxoffice/runtime/services';
import { expect, test } from '@jest/globals';

const facts = processes.flatMap(({ name, publishes }) =>
  Object.entries(publishes).map(([type, { schema, example }]) => ({ name, type, schema, example })),
);

test.each(facts)('$type of $name: the example fits the declared schema', ({ schema, example }) => {
  expect(() => createCheck(schema as never)(example)).not.toThrow();
});

test('the topology has exactly the published facts, each once', () => {
  const named = [...declared.queues, ...declared.broadcasts].flatMap(({ types }) => types);
  expect(facts.map(({ type }) => type).toSorted()).toEqual([...new Set(named)].toSorted());
});

test('only the broker user of the publishing process may publish a fact', () => {
  const named = builtInRows.flatMap(({ name, publishes }) => publishes.map((type) => `${name} ${type}`));
  expect(facts.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(named.toSorted());
});

test('the queues of a process begin with its name', () => {
  const names = processes.flatMap(({ name, consumes }) =>
    Object.keys(consumes).filter((queue) => queue.startsWith(`${name}.`)),
  );
  expect(names.toSorted()).toEqual(declared.queues.map(({ name }) => name).toSorted());
});
