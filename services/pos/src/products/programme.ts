import { textIn } from '@boxoffice/http';
import type { Performance } from '../clients/catalog.ts';
import { byStartThenId } from '../domain/offer.ts';
import { findIn, type Wanted } from '../domain/programme.ts';
import { type Audience, type Offer, periodOf, shownPerformances, shownProducts } from './views.ts';

/** The products of a type, or all, that match, by the start of their first matching performance. */
export const listProgramme = (
  offer: Offer,
  { languages }: Pick<Audience, 'languages'>,
  { type, ...wanted }: Wanted & { readonly type?: string | undefined },
  now: number,
) => {
  const texts = [...languages, ...(offer.languages ?? [])];
  const items = shownProducts(offer, type).map((product) => ({
    product,
    title: textIn(product.name, texts),
    // Only shows have dates; what anything else has is a period of validity.
    performances: product.type === 'show' ? shownPerformances(product, now) : [],
  }));
  const { found, days, venues } = findIn<Performance, (typeof items)[number]>(items, wanted);
  const listed = found
    .map(({ item: { product }, performances }) => ({
      product,
      performances,
      id: product.id,
      startDate: performances[0]?.startDate ?? periodOf(product).startDate,
    }))
    .sort(byStartThenId);
  return { listed, days, venues };
};
