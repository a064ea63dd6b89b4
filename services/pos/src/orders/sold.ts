import { textIn } from '@boxoffice/http';
import type { Line } from '../clients/orders.ts';
import type { Visit } from '../request/visit.ts';

/** What orders and tickets store of a sold place, in all its languages. */
type About = Line['about'];

type Texts = Readonly<Record<string, string>>;

/** What a page shows of a sold place; null where an earlier release has not stored it. */
export const soldView = (about: About, { languages }: Pick<Visit, 'languages'>) => {
  const spoken = (texts: Texts | undefined) => (texts === undefined ? null : textIn(texts, languages));
  return {
    productName: spoken(about?.product),
    timeZone: about?.timeZone ?? null,
    venue: about ? { name: about.venue.name, city: about.venue.city } : null,
    seatCategory: spoken(about?.seatCategory),
    tariff: spoken(about?.tariff),
  };
};
