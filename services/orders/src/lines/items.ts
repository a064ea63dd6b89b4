import { Fault } from '@boxoffice/envelope';
import type { HeldLine, Wish } from '../clients/stock.ts';
import type { NewLine } from '../domain/order/order.ts';

/** Most places of one order: what the stock sells in one step. */
export const MAX_PLACES_PER_ORDER = 1_000;

/** Whether a item says two different numbers of places. */
export const isMisquantified = ({ quantity, placeIds }: Pick<Wish, 'quantity' | 'placeIds'>): boolean =>
  placeIds !== undefined && quantity !== undefined && quantity !== placeIds.length;

/** Where `quantity` and `placeIds` disagree, by path. */
export const quantityFaults = (items: readonly Wish[]): string[] =>
  items.flatMap((item, index) =>
    isMisquantified(item)
      ? [`$.items[${index}].quantity is ${item.quantity}, but placeIds names ${item.placeIds?.length}`]
      : [],
  );

/** How many places the items are for. @throws Fault `semantically_invalid` where `quantity` and `placeIds` disagree, `order_too_many_places` */
export const placesWanted = (items: readonly Wish[], placesInOrder: number): number => {
  const odd = quantityFaults(items);
  if (odd.length > 0) throw new Fault('semantically_invalid', `${odd.join('; ')}.`);
  const places = items.reduce((sum, { quantity, placeIds }) => sum + (placeIds?.length ?? quantity ?? 1), 0);
  if (placesInOrder + places > MAX_PLACES_PER_ORDER)
    throw new Fault('order_too_many_places', `At most ${MAX_PLACES_PER_ORDER} places can be in one order.`);
  return places;
};

/** The one currency of held lines. @throws Fault `semantically_invalid` if there are several */
export const currencyOf = (lines: readonly HeldLine[]): string => {
  const currencies = [...new Set(lines.map(({ currency }) => currency))];
  const [currency = ''] = currencies;
  if (currencies.length > 1)
    throw new Fault(
      'semantically_invalid',
      `$.items are priced in ${currencies.join(' and ')}: an order has one currency.`,
    );
  return currency;
};

/** Held places as lines of an order. */
export const linesOf = (held: readonly HeldLine[], newId: (prefix: string) => string): NewLine[] =>
  held.map(({ productId, performanceId, startDate, seatCategoryId, tariffId, criterion, amount, place }) => ({
    id: newId('lin'),
    productId,
    performanceId,
    startDate,
    seatCategoryId,
    tariffId,
    criterion,
    amount,
    place: { id: place.id, label: place.label, row: place.row, seat: place.seat },
  }));
