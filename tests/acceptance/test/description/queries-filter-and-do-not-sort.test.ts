// rule 4: Rule 7: no operators, no sorting and no selection of members in a query | services/pos/src/request/pagination.ts

import { expect, test } from '@jest/globals';
import { descriptions, objectsIn } from './descriptions.ts';

/** The query parameters of all operations: filters, and the position in a list. A new one is decided here. */
const FILTERS = [
  ...[
    'barcode',
    'code',
    'contactNumber',
    'createdBy',
    'createdFrom',
    'createdTo',
    'email',
    'eventId',
    'externalReference',
    'from',
    'gate',
    'method',
    'modifiedSince',
    'number',
    'orderId',
    'outcome',
  ],
  ...[
    'performanceId',
    'performanceIds',
    'pointOfSale',
    'productId',
    'q',
    'resource',
    'result',
    'role',
    'seatCategoryId',
    'state',
    'status',
    'to',
    'type',
    'types',
    'venue',
  ],
];
/** `after` and `wait` are the position in the events; `granularity` and `groupBy` choose what usage is counted by. */
const OTHERS = ['after', 'allowDuplicateEmail', 'cursor', 'granularity', 'groupBy', 'lang', 'limit', 'offset', 'wait'];

test('a query has filters and a position, but no operators, sorting or selection of members', () => {
  const queries = descriptions.flatMap(objectsIn).filter((object) => object.in === 'query');
  expect(queries.length).toBeGreaterThan(0);
  const names = new Set(queries.map(({ name }) => String(name)));
  expect([...names].sort()).toEqual([...FILTERS, ...OTHERS].sort());
});

test('no filter takes several values', () => {
  const filters = descriptions.flatMap(objectsIn).filter(({ in: place }) => place === 'query');
  expect(filters.filter(({ schema }) => (schema as { type?: unknown }).type === 'array')).toEqual([]);
});
