import type { TariffIds } from './demo-institution.ts';
import { pricesOf, type Shares } from './pricing.ts';
import type { NewProduct } from './request-bodies.ts';
import { after, type Schedule } from './schedule.ts';
import type { Texts } from './titles.ts';

/** A product with a period of validity instead of evenings. */
export interface PeriodProduct {
  readonly code: string;
  readonly type: 'pass' | 'season_ticket' | 'membership' | 'service' | 'goods' | 'package';
  readonly name: Texts;
  readonly description: Texts;
  /** Period of validity, in days. */
  readonly days: number;
  readonly stock: number;
  /** In minor units. */
  readonly price: number;
}

export interface Place {
  readonly venue: { readonly name: string; readonly city: string };
  readonly timeZone: string;
}

const MINUTES_PER_DAY = 1_440;

/**
 * The products as the catalog accepts them: one performance for the period of validity, and one category for the stock.
 */
export const periodProducts = (
  products: readonly PeriodProduct[],
  { venue, timeZone }: Place,
  shares: Shares,
  tariffs: TariffIds,
  schedule: Schedule,
): NewProduct[] =>
  products.map(({ code, type, name, description, days, stock, price }) => {
    const startDate = schedule.at(1, 0, 0);
    const durationMinutes = days * MINUTES_PER_DAY;
    const endDate = after(startDate, durationMinutes);
    const seatCategories = [{ code: 'STOCK', name, numbered: false, capacity: stock }];
    const prices = pricesOf(seatCategories, [price], shares, tariffs);
    const { salesFrom } = schedule;
    return {
      code,
      type,
      name,
      description,
      state: 'running',
      startDate,
      endDate,
      performances: [
        { startDate, durationMinutes, venue, timeZone, salesFrom, salesTo: endDate, seatCategories, prices },
      ],
    };
  });
