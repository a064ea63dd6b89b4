import { PosFault } from '@boxoffice/envelope';
import { within } from '@boxoffice/runtime';
import type { Product } from '../clients/catalog.ts';
import { isOver } from '../domain/offer.ts';
import type { PosContext } from '../request/context.ts';

/** How long a rule waits for the catalog, in milliseconds. */
const RULE_MS = 2_000;

type Catalogue = Pick<PosContext, 'offers'>;

/**
 * The published products as they are now, not a second ago, for what a rule decides; as last known if the catalog does
 * not answer within two seconds. It is asked each time, however late it was before.
 */
export const productsNow = async ({ offers }: Catalogue, institution: string): Promise<readonly Product[]> => {
  const asked = offers.publishedNow(institution).catch(() => undefined);
  const offer = (await within(asked, RULE_MS, () => undefined)) ?? offers.lastKnown(institution);
  return offer?.products ?? [];
};

/**
 * @throws {PosFault} cart_not_on_sale if one of these performances is over, as it is dated now; `of` names them in the
 * request
 */
export const requireNotOver = async (
  { now, ...catalogue }: Catalogue & Pick<PosContext, 'now'>,
  institution: string,
  performanceIds: readonly string[],
  of?: string,
): Promise<void> => {
  const products = await productsNow(catalogue, institution);
  const over = products.flatMap((product) =>
    product.performances.filter((performance) => isOver(performance, product, now())).map(({ id }) => id),
  );
  const ended = performanceIds.findIndex((id) => over.includes(id));
  const where = of === undefined ? '' : `${of}[${ended}]: `;
  if (ended >= 0) throw new PosFault('cart_not_on_sale', `${where}The performance is over.`);
};
