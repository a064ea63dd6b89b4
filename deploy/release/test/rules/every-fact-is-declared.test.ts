import { createCheck } from '@boxoffice/http';
import { processes as brokerProcesses, declared } from '@boxoffice/messaging';
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

test('the process that publishes a fact is the one whose user of the broker may', () => {
  const named = Object.entries(brokerProcesses).flatMap(([name, { publishes }]) =>
    publishes.map((type) => `${name} ${type}`),
  );
  expect(facts.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(named.toSorted());
});

test('the queues of a process are those that its name begins', () => {
  for (const { name, queues } of processes)
    expect(queues.toSorted()).toEqual(
      declared.queues.flatMap((queue) => (queue.name.startsWith(`${name}.`) ? [queue.name] : [])).toSorted(),
    );
});
