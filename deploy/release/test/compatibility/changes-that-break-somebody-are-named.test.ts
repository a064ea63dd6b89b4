import { expect, test } from '@jest/globals';
import { breaking } from './breaking.ts';
import { harmless } from './harmless.ts';
import { breaksAfter, type Changeable, dataOf } from './planted.ts';

test.each(breaking)('%s: it is said and who is hurt', (_what, process, change, hurts, said) => {
  const told = breaksAfter(process, change).map((one) => ({
    said: `${one.where}: ${one.what}`,
    hurts: one.hurts.toSorted().join(', '),
  }));
  const wanted = hurts.split(', ').toSorted().join(', ');
  expect(told).toContainEqual({ said: expect.stringContaining(said), hurts: wanted });
});

test.each(harmless)('%s: nobody is hurt', (_what, process, change) => {
  expect(breaksAfter(process, change)).toEqual([]);
});

test('a schema that says more than the comparison knows is refused instead of waved through', () => {
  const change = ({ operation }: Changeable): void => {
    dataOf(operation('GET /svc/v3/orders/{orderId}')).properties.total.not = { const: 13 };
  };
  expect(() => breaksAfter('orders', change)).toThrow('does not know not');
});
