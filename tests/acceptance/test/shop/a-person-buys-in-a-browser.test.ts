import { expect, test } from '@jest/globals';
import { withShop } from './shop-fixture.ts';
import { choosing } from './visits/choosing.ts';
import { everyPage } from './visits/every-page.ts';
import { firstSight } from './visits/first-sight.ts';
import { mishaps } from './visits/mishaps.ts';
import { onAPhone } from './visits/on-a-phone.ts';
import { otherThanShows } from './visits/other-than-shows.ts';
import { purchases } from './visits/purchases.ts';
import { belongings, links } from './visits/tickets.ts';
import { unclear } from './visits/unclear.ts';

// One installation and one browser for all visitors, who run concurrently.
withShop('a person buys in a browser', (shop) => {
  firstSight(shop);
  purchases(shop);
  otherThanShows(shop);
  mishaps(shop);
  unclear(shop);
  onAPhone(shop);
  everyPage(shop);
  belongings(shop);
  links(shop);
  choosing(shop);

  test('the shop loads nothing from other origins, and no page logs an error', () => {
    expect(shop.visits.length).toBeGreaterThan(4);
    for (const { foreign, complaints } of shop.visits) expect([foreign, complaints]).toEqual([[], []]);
    const refused = new Set(shop.visits.flatMap(({ refusals }) => refusals));
    // Only if another tab ends the session just then.
    refused.delete('session_required');
    expect([...refused].toSorted()).toEqual([
      'cart_places_unavailable',
      'internal_error',
      'login_failed',
      'not_found',
      'payment_declined',
      'session_invalid',
      'too_many_requests',
    ]);
  });
});
