import type { Discount } from '@boxoffice/prices';
import { computePrice, countNeededUses, type PricedOrder, type Pricing } from '../../../src/domain/price.ts';
import { checkPrice } from '../../../src/domain/price-checks.ts';
import { type Claimed, CODE } from './prices.ts';
import { call, Refused, type Steps } from './steps.ts';
import type { World } from './world.ts';

const ALL = {
  ...{ unlocks: [], criterion: null, productIds: null, performanceIds: null, tariffIds: null, channels: null },
  ...{ state: 'active' as const, validFrom: null, validTo: null, usesPerOrder: null, createdAt: '2030-01-01' },
};

/** What the catalog answers on prices; of the request's own uses it says that they are free. */
export function readBook(
  { uses, stock }: World,
  request: { readonly holder: string; readonly request: string },
): Pricing {
  const free = (pool: string) => stock.countFree(pool, request);
  const group = { id: 'dsc_group', name: {}, trigger: 'automatic', effect: { amount: 3 }, minPlaces: 2 } as const;
  const coded = { id: 'dsc_code', name: {}, trigger: 'code', effect: { percent: '50' }, minPlaces: 1 } as const;
  const discounts: Discount[] = [
    { ...ALL, ...group, free: free('dsc_group'), codes: [] },
    { ...ALL, ...coded, free: null, codes: [{ code: CODE, id: 'cod_1', free: free('cod_1') }] },
  ];
  return { discounts: uses ? discounts : [], orderFees: [], criteria: null };
}

interface Claim {
  readonly holder: string;
  readonly request: string;
  readonly asOf: number;
  readonly until: number;
  readonly checksCodes: boolean;
}

export function listClaims({ claimed }: Claimed): string[] {
  return [...claimed.values()].flat();
}

/** Only for those who have given the code. */
const offer = ({ discounts, ...rest }: Pricing, { codes = [] }: PricedOrder): Pricing => ({
  ...rest,
  discounts: discounts.filter(({ trigger }) => trigger === 'automatic' || codes.length > 0),
});

/** Claims the uses that the order needs at its prices now, all or none. @throws Refused */
export function* claimUses(
  world: World,
  order: PricedOrder,
  pricing: Pricing,
  { checksCodes, ...claim }: Claim,
): Steps<Claimed> {
  let known = offer(pricing, order);
  for (;;) {
    const price = computePrice(order, known, world.now());
    const refused = checksCodes ? checkPrice(price) : undefined;
    if (refused) throw new Refused(refused.refused.reason);
    const uses = countNeededUses(price);
    if (uses.size === 0) return { ...known, claimed: new Map() };
    const answer = yield* call(world, () => world.stock.holdUses({ ...claim, uses }));
    if ('held' in answer) return { ...known, claimed: answer.held };
    const { pool, free } = answer;
    known = {
      ...known,
      discounts: known.discounts.map((one) => ({
        ...one,
        free: one.id === pool ? free : one.free,
        codes: one.codes.map((code) => (code.id === pool ? { ...code, free } : code)),
      })),
    };
  }
}
