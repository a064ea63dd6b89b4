import { expect, test } from '@jest/globals';
import { describeInShop } from './shop-fixture.ts';
import { describeChoosing } from './visits/choosing.ts';
import { describeEveryPage } from './visits/every-page.ts';
import { describeFirstSight } from './visits/first-sight.ts';
import { describeFrames } from './visits/in-a-frame.ts';
import { describeMishaps } from './visits/mishaps.ts';
import { describePhoneVisits } from './visits/on-a-phone.ts';
import { describeOtherThanShows } from './visits/other-than-shows.ts';
import { describePayments } from './visits/paying.ts';
import { describePrices } from './visits/prices.ts';
import { describePurchases } from './visits/purchases.ts';
import { describeBelongings, describeTicketLinks } from './visits/tickets.ts';
import { describeUnclearOutcomes } from './visits/unclear.ts';

// One installation and one browser for all visitors, who run concurrently.
describeInShop('a person buys in a browser', (shop) => {
  describeFirstSight(shop);
  describePurchases(shop);
  describeOtherThanShows(shop);
  describeMishaps(shop);
  describeUnclearOutcomes(shop);
  describePayments(shop);
  describePhoneVisits(shop);
  describeFrames(shop);
  describeEveryPage(shop);
  describeBelongings(shop);
  describeTicketLinks(shop);
  describeChoosing(shop);
  describePrices(shop);

  test('the shop loads nothing from other origins, and no page logs an error', () => {
    expect(shop.visits.length).toBeGreaterThan(4);
    for (const { foreign, complaints } of shop.visits) expect([foreign, complaints]).toEqual([[], []]);
    const refused = new Set(shop.visits.flatMap(({ refusals }) => refusals));
    // Only if another tab ends the session just then.
    refused.delete('session_required');
    expect([...refused].toSorted()).toEqual([
      'cart_places_unavailable',
      'discount_limit_reached',
      'discount_not_applicable',
      'discount_unknown_code',
      'internal_error',
      'login_failed',
      'not_found',
      'payment_declined',
      'session_invalid',
      'tariff_not_accessible',
      'too_many_requests',
    ]);
  });
});
