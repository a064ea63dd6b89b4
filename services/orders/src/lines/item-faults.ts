import { Fault } from '@boxoffice/envelope';
import type { Wish } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { isUnavailable } from '../faults.ts';

/** What is asked for, and where. */
export interface Asked {
  readonly items: readonly Wish[];
  readonly pointOfSale?: string | undefined;
}

/** What the catalog would have against the items, by their paths; nothing if it does not say so. */
const unknownToCatalog = async (
  context: OrdersContext,
  institution: string,
  { items, pointOfSale }: Asked,
): Promise<string[]> => {
  try {
    await context.stock.quotes(
      institution,
      // How many are wanted of each was looked at here.
      items.map(({ quantity: _, ...item }) => item),
      pointOfSale ?? null,
    );
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return isUnavailable(error) || error.http !== 422 ? [] : [error.details];
  }
};

/**
 * The refusal of a request in which these faults were found: it names, too, what the catalog has against its items, which is
 * asked only then. Nothing is held.
 */
export const refusalOf = async (
  context: OrdersContext,
  institution: string,
  asked: Asked,
  faults: readonly string[],
): Promise<Fault> => {
  const all = [...faults, ...(await unknownToCatalog(context, institution, asked))];
  return new Fault('semantically_invalid', `${all.join('; ')}.`);
};
