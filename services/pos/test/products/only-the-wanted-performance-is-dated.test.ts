import { PosFault } from '@boxoffice/envelope';
import { expect, test } from '@jest/globals';
import type { Catalog } from '../../src/clients/catalog.ts';
import { createOffers, requireNotOver } from '../../src/products/offers.ts';

const FUTURE = '2031-05-01T18:30:00.000Z';
const PAST = '2024-05-01T18:30:00.000Z';

/** A programme of 325 performances, of which the last is over, and the ids of those whose start was read. */
const openProgramme = () => {
  const dated: string[] = [];
  const performances = Array.from({ length: 325 }, (_, index) => ({
    id: `prf_${index}`,
    durationMinutes: 90,
    get startDate() {
      dated.push(this.id);
      return index === 324 ? PAST : FUTURE;
    },
  }));
  const products = [
    { type: 'show', endDate: null, performances: performances.slice(0, 200) },
    { type: 'show', endDate: null, performances: performances.slice(200) },
  ];
  const catalog: object = { published: async () => ({ mark: 'mark', published: { products, tariffs: [] } }) };
  return { dated, context: { offers: createOffers(catalog as Catalog), now: Date.now } };
};

test('the end of a performance is computed where it is wanted in the cart, and of no other', async () => {
  const { dated, context } = openProgramme();
  await requireNotOver(context, 'opera', ['prf_250']);
  expect(dated).toEqual(['prf_250']);
  const over = requireNotOver(context, 'opera', ['prf_7', 'prf_unknown', 'prf_324'], '$.items');
  await expect(over).rejects.toThrow(new PosFault('cart_not_on_sale', '$.items[2]: The performance is over.'));
  expect(dated).toEqual(['prf_250', 'prf_7', 'prf_324']);
});
