import type { DemoInstitution, Ids } from './institutions.ts';
import { listAll, type OperationName, type ShopKeeper } from './shop-keeper.ts';

interface Coded {
  readonly id: string;
  readonly code: string;
}

/** Creates what is missing by its code; returns the ids. */
export async function stockByCode(
  keeper: ShopKeeper,
  [list, create]: readonly [OperationName, OperationName],
  wanted: readonly { readonly code: string }[] = [],
): Promise<Ids> {
  if (wanted.length === 0) return {};
  const existing = await listAll<Coded>(keeper, list);
  const ids = Object.fromEntries(existing.map(({ code, id }) => [code, id]));
  for (const body of wanted.filter(({ code }) => ids[code] === undefined)) {
    const { id } = await keeper<Coded>(create, { body });
    ids[body.code] = id;
  }
  return ids;
}

/** Creates the fees of the institution's shop, and its discounts with their codes, as far as they are missing. */
export async function stockPriceRules(
  keeper: ShopKeeper,
  { serviceHost, fees = [], discounts = [] }: DemoInstitution,
  { tariffs, taxes }: Readonly<Record<'tariffs' | 'taxes', Ids>>,
): Promise<void> {
  const channels = { pointsOfSale: [serviceHost] };
  const charged = fees.map(({ tax = '', ...fee }) => ({ ...fee, taxId: taxes[tax] ?? null, channels }));
  await stockByCode(keeper, ['listFees', 'createFee'], charged);
  if (discounts.length === 0) return;
  const existing = await listAll<{ readonly id: string; readonly name: object }>(keeper, 'listDiscounts');
  const toIds = (codes: readonly string[]) => codes.map((code) => tariffs[code]);
  for (const { codes = [], tariffs: only = [], unlocks = [], ...discount } of discounts) {
    const known = existing.find(({ name }) => JSON.stringify(name) === JSON.stringify(discount.name));
    const body = { ...discount, tariffIds: toIds(only), unlocks: toIds(unlocks) };
    const { id } = known ?? (await keeper<{ readonly id: string }>('createDiscount', { body }));
    if (codes.length > 0 && (await listAll(keeper, 'listDiscountCodes', { id })).length === 0)
      await keeper('createDiscountCodes', { id, body: { codes } });
  }
}
