import { PosFault } from '@boxoffice/envelope';
import type { PosContext } from '../context.ts';
import { isOver } from '../domain/offer.ts';

/**
 * @throws {PosFault} cart_not_on_sale if one of these performances is over, as it is dated now; as it was last known if
 * the catalog does not answer
 */
export const requireNotOver = async (
  { offers, bestEffortCatalog, now }: Pick<PosContext, 'offers' | 'bestEffortCatalog' | 'now'>,
  institution: string,
  performanceIds: readonly string[],
): Promise<void> => {
  const { products } = (await bestEffortCatalog(() => offers.publishedNow(institution))) ??
    offers.lastKnown(institution) ?? { products: [] };
  const ids = new Set(performanceIds);
  const ended = products.some((product) =>
    product.performances.some((performance) => ids.has(performance.id) && isOver(performance, product, now())),
  );
  if (ended) throw new PosFault('cart_not_on_sale', 'The performance is over.');
};
