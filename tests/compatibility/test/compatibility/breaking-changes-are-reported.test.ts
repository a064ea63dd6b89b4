import { expect, test } from '@jest/globals';
import { breakingFacts, breakingOperations } from './breaking.ts';
import { breaksAfter, breaksWithoutReferences, type Changeable, dataOf } from './changed-process.ts';
import { harmless } from './harmless.ts';

test.each(breakingOperations.concat(breakingFacts))(
  '%s: is reported with those that it breaks',
  (_what, process, change, hurts, said) => {
    const found = breaksAfter(process, change).map((one) => ({
      said: `${one.where}: ${one.what}`,
      hurts: one.hurts.toSorted().join(', '),
    }));
    const wanted = hurts.split(', ').toSorted().join(', ');
    expect(found).toContainEqual({ said: expect.stringContaining(said), hurts: wanted });
  },
);

test.each(harmless)('%s: breaks nothing', (_what, process, change) => {
  expect(breaksAfter(process, change)).toEqual([]);
});

test.each(['catalog', 'orders', 'pos'])('%s: the same schemas in place of references break nothing', (process) => {
  expect(breaksWithoutReferences(process)).toEqual([]);
});

test('a schema with a keyword unknown to the comparison is refused', () => {
  const change = ({ operation }: Changeable): void => {
    dataOf(operation('GET /svc/v3/orders/{orderId}')).properties.total.not = { const: 13 };
  };
  expect(() => breaksAfter('orders', change)).toThrow('does not know not');
});
