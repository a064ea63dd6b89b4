import { expect, test } from '@jest/globals';
import { inAHouse } from './house.ts';
import { belongings } from './visits/belongings.ts';
import { mishaps } from './visits/mishaps.ts';
import { purchases } from './visits/purchases.ts';
import { unclear } from './visits/unclear.ts';

// One installation and one browser for all visitors, who come at the same time.
inAHouse('a person buys in a browser', (house) => {
  purchases(house);
  mishaps(house);
  unclear(house);
  belongings(house);

  test('through all of this nothing was loaded from elsewhere, and no page complained', () => {
    expect(house.visits.length).toBeGreaterThan(4);
    for (const { foreign, complaints } of house.visits) expect([foreign, complaints]).toEqual([[], []]);
    const refused = new Set(house.visits.flatMap(({ refusals }) => refusals));
    expect([...refused].toSorted()).toEqual([
      'cart_expired',
      'cart_places_unavailable',
      'context_invalid',
      'internal_error',
      'login_failed',
      'not_found',
      'payment_declined',
      'session_invalid',
      'too_many_requests',
    ]);
  });
});
