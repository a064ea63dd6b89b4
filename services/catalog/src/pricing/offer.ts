// What orders computes a price from: all rules that may apply, with what is left of their uses.

import { createNullableSchema, createView, named } from '@boxoffice/http';
import { LRUCache } from 'lru-cache';
import { type Static, type TProperties, Type } from 'typebox';
import type { Context } from '../context.ts';
import type { CodeDocument, Collections, InstitutionDocument, RuleDocument } from '../store.ts';
import { deriveCodeId } from './batches.ts';
import { Discount, usesPerOrder } from './discounts.ts';
import { Fee } from './fees.ts';
import { Tax } from './taxes.ts';
import { type Claimant, countFreeUses, rememberLimit, settle } from './uses.ts';

export const codes = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 10,
  description: 'codes of discounts; equal without case is once',
});

const free = createNullableSchema(
  Type.Integer({
    description:
      'uses that others have not, counted up to the lines of the order, of which a code without a limit has as many; null: without a limit',
  }),
);

const pick = <Properties extends TProperties, Name extends keyof Properties>(from: Properties, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<Properties, Name>;

export const Pricing = named(
  'Pricing',
  Type.Object(
    {
      taxes: Type.Array(Type.Object(pick(Tax.properties, 'id', 'name', 'rate'))),
      fees: Type.Array(
        Type.Object(pick(Fee.properties, 'id', 'name', 'per', 'amount', 'percent', 'roundTo', 'taxId', 'channels')),
        { description: 'the active ones' },
      ),
      discounts: Type.Array(
        Type.Object({
          ...pick(Discount.properties, 'id', 'name', 'trigger', 'effect', 'unlocks', 'criterion', 'productIds'),
          ...pick(Discount.properties, 'performanceIds', 'tariffIds', 'minPlaces', 'channels', 'validFrom', 'validTo'),
          ...pick(Discount.properties, 'state', 'createdAt'),
          usesPerOrder: createNullableSchema(usesPerOrder),
          free,
          codes: Type.Array(
            Type.Object({ code: Type.String({ description: 'as it was given' }), id: Type.String(), free }),
          ),
        }),
        { description: 'the active automatic ones, and those of the given codes' },
      ),
      unknown: Type.Array(Type.String(), { description: 'given codes that are unknown or withdrawn' }),
    },
    { description: 'null: the institution has no taxes, fees and discounts' },
  ),
);

const view = createView(Pricing);

interface Rules {
  /** Epoch milliseconds. */
  readonly readAt: number;
  /** By id, so in order of creation. */
  readonly always: readonly RuleDocument[];
  /** Of discounts with codes, as they are read. */
  readonly others: Map<string, RuleDocument>;
}

/**
 * By the institution's mark, which every write of a rule changes. What an interrupted write leaves to be settled is seen
 * after MAX_AGE_MS, well before its claims in the stock end.
 */
const rulesByMark = new LRUCache<string, Rules>({ max: 500 });
const MAX_AGE_MS = 5_000;

/** Of an order. */
const MOST_LINES = 1_000;

const readRules = async ({ collections, now }: Context, mark: string): Promise<Rules> => {
  const known = rulesByMark.get(mark);
  if (known && now() - known.readAt <= MAX_AGE_MS) return known;
  const readAt = now();
  const found = await collections.priceRules.find({ where: { applies: 'always' } });
  const always = await Promise.all(found.map((one) => settle(collections, one)));
  const rules = { readAt, always, others: new Map() };
  rulesByMark.set(mark, rules);
  return rules;
};

const findRule = async (collections: Collections, { others }: Rules, id: string) => {
  const known = others.get(id);
  if (known) return known;
  const found = await collections.priceRules.get(id);
  const settled = found && (await settle(collections, found));
  if (settled) others.set(id, settled);
  return settled;
};

/** By the id of each code, as it was first given. */
export function listCodes(institution: string, given: readonly string[] = []): ReadonlyMap<string, string> {
  const byId = new Map<string, string>();
  for (const code of given) {
    const id = deriveCodeId(institution, code);
    if (!byId.has(id)) byId.set(id, code);
  }
  return byId;
}

/** `found`: the documents of the codes. `lines`: of the order, for which free uses are counted, not further. */
export async function readPricing(
  context: Context,
  institution: InstitutionDocument | undefined,
  given: readonly string[] | undefined = [],
  found: ReadonlyMap<string, CodeDocument> = new Map(),
  lines = MOST_LINES,
  claimant?: Claimant,
): Promise<Static<typeof Pricing> | null> {
  if (!institution?.priced) return null;
  const { collections, now } = context;
  const rules = await readRules(context, institution.catalogMark);
  const at = now();
  const countFree = (pool: string) => countFreeUses(collections, pool, { now: at, lines }, claimant);
  const wanted = listCodes(institution.id, given);
  const known = [...wanted].flatMap(([id, code]) => {
    const document = found.get(id);
    if (document?.state !== 'active' || document.createdAt === null) return [];
    rememberLimit(document);
    return [{ document, code }];
  });
  const named = new Set(known.map(({ document }) => document.discountId));
  const withCodes = await Promise.all([...named].map((id) => findRule(collections, rules, id)));
  const discounts = [...rules.always, ...withCodes].flatMap((one) =>
    one?.rule.kind === 'discount' ? [{ ...one, rule: one.rule }] : [],
  );
  const usable = new Set(known.map(({ code }) => code));
  return view({
    taxes: rules.always.flatMap(({ id, rule }) => (rule.kind === 'tax' ? [{ ...rule, id }] : [])),
    fees: rules.always.flatMap(({ id, rule }) => (rule.kind === 'fee' ? [{ ...rule, id }] : [])),
    discounts: await Promise.all(
      discounts.map(async ({ id, rule, createdAt }) => {
        const own = known.filter(({ document }) => document.discountId === id);
        return {
          ...rule,
          ...{ id, createdAt, usesPerOrder: rule.limits?.usesPerOrder ?? null },
          free: rule.limits?.uses == null ? null : await countFree(id),
          codes: await Promise.all(
            own.map(async ({ document: { id, maxUses }, code }) => {
              return { code, id, free: maxUses === null ? lines : await countFree(id) };
            }),
          ),
        };
      }),
    ),
    unknown: [...wanted.values()].filter((code) => !usable.has(code)),
  });
}
