import type { Line } from '../clients/orders.ts';
import { inLanguage } from '../domain/offer.ts';
import type { Visit } from '../request/visit.ts';

/** What orders and tickets store of a sold place, in all its languages. */
type About = Line['about'];

type Texts = Readonly<Record<string, string>>;

/** What a page shows of a sold place; null where an earlier release has not stored it. */
export const soldView = (about: About, { pointOfSale, language }: Pick<Visit, 'pointOfSale' | 'language'>) => {
  const spoken = (texts: Texts | undefined) =>
    texts === undefined ? null : inLanguage(texts, { language, others: pointOfSale.languages });
  return {
    productName: spoken(about?.product),
    timeZone: about?.timeZone ?? null,
    venue: about ? { name: about.venue.name, city: about.venue.city } : null,
    seatCategory: spoken(about?.seatCategory),
    tariff: spoken(about?.tariff),
  };
};
