import { createNullableSchema, id, named, oneOf, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import type { Context } from '../context.ts';
import { countFreeUses, isUnlimited } from '../pricing/uses.ts';
import { claimPlaces } from './claim.ts';
import { asOf, claimFirst, holder, requestId } from './schemas.ts';

export const Uses = named(
  'UsesRequest',
  Type.Object({
    holder,
    requestId,
    asOf: Type.Optional(asOf),
    heldUntil: timestamp,
    claimFirst: Type.Optional(claimFirst),
    uses: Type.Array(Type.Object({ pool: id, count: Type.Integer({ minimum: 1, maximum: 1_000 }) }), {
      minItems: 1,
      maxItems: 100,
    }),
  }),
);

export const UsesAnswer = named(
  'Uses',
  Type.Object({
    outcome: oneOf(['held', 'refused']),
    short: createNullableSchema(
      Type.Object(
        { pool: Type.String(), free: Type.Integer({ description: 'now, at least' }) },
        { description: 'the first pool without enough free uses' },
      ),
    ),
    uses: Type.Array(Type.Object({ pool: Type.String(), ids: Type.Array(Type.String()) }), {
      description: 'as requested, in their order',
    }),
  }),
);

/** Who holds uses has read their pool's pricing, so a written change of the limit is applied. */
export async function holdUses(
  { collections, now }: Context,
  { holder, requestId: request, asOf = 0, heldUntil, uses, ...more }: Static<typeof Uses>,
): Promise<Static<typeof UsesAnswer>> {
  const items = await Promise.all(
    uses.map(async ({ pool, count }) => ({
      ...{ performanceId: pool, seatCategoryId: pool, count },
      isUnlimited: await isUnlimited(collections, pool),
    })),
  );
  const claim = { holder, request, asOf, items, until: Date.parse(heldUntil), now: now(), ...more };
  const outcome = await claimPlaces(collections.places, claim);
  if ('short' in outcome) {
    const { pool = '', count = 0 } = uses[outcome.short] ?? {};
    const free = await countFreeUses(collections, pool, { now: now(), lines: count }, { holder, request });
    // What has become free meanwhile is left to the next request, so that a caller who asks again asks for less.
    return { outcome: 'refused', short: { pool, free: Math.min(free, count - 1) }, uses: [] };
  }
  return {
    outcome: 'held',
    short: null,
    uses: uses.map(({ pool }, index) => ({ pool, ids: (outcome.held[index] ?? []).map(({ id }) => id) })),
  };
}
