// Taxes, fees and discounts are documents of one collection.

import { Fault } from '@boxoffice/envelope';
import { type Caller, computeRestriction } from '@boxoffice/identity';
import type { Channels } from '@boxoffice/prices';
import { type IdempotencyRecord, UniqueViolation } from '@boxoffice/store';
import {
  type Context,
  invalidateCatalog,
  readTimestamp,
  refuseProblems,
  requireInstitution,
  throwNotFound,
} from '../context.ts';
import {
  type DiscountDetails,
  findFormProblems,
  findRuleProblems,
  isUnconditional,
  type RuleDetails,
  type RuleKind,
  selectOwnChannels,
} from '../domain/pricing.ts';
import { performances, pointsOfSale, priceRules, products, type RuleDocument, tariffs } from '../store.ts';

/** The document as the caller may see it; undefined if it may not. */
export function narrowRule(document: RuleDocument, caller: Caller): RuleDocument | undefined {
  if (document.rule.kind === 'tax') return document;
  const rule = narrowChannels(document.rule, caller);
  return rule && { ...document, rule };
}

/** Leaves a client with bounds its own channels; undefined if they do not admit it. */
export function narrowChannels<Of extends { readonly channels: Channels | null }>(
  rule: Of,
  { client, user, bounds }: Caller,
): Of | undefined {
  if (bounds === null) return rule;
  const hosts = computeRestriction({ client, user, bounds }).pointsOfSale;
  const channels = selectOwnChannels(rule.channels, { client: client ?? '', hosts });
  return channels === undefined ? undefined : { ...rule, channels };
}

/** `body`: the references that the request names. @throws Fault `validation_error`, `semantically_invalid`, `not_found` */
export async function checkRule({ collections }: Context, rule: RuleDetails, body: object, before?: RuleDetails) {
  const form = findFormProblems(rule, body);
  if (form.length > 0) throw new Fault('validation_error', form.join('; '));
  const institution = await requireInstitution(collections);
  const { currency } = body as { readonly currency?: string };
  const otherCurrency = currency !== undefined && currency !== null && currency !== institution.currency;
  refuseProblems([
    ...findRuleProblems(rule, before),
    ...(otherCurrency ? [`$.currency must be ${institution.currency}, the currency of the institution`] : []),
    ...(await findUnknownReferences(collections, rule, body)),
  ]);
  return institution;
}

const listReferences = (rule: RuleDetails) => {
  const { unlocks, tariffIds, productIds, performanceIds } = rule as Partial<DiscountDetails>;
  const channels = rule.kind === 'tax' ? null : rule.channels;
  return {
    taxId: { collection: priceRules, ids: rule.kind === 'fee' && rule.taxId !== null ? [rule.taxId] : [] },
    channels: { collection: pointsOfSale, ids: channels?.pointsOfSale ?? [] },
    unlocks: { collection: tariffs, ids: unlocks ?? [] },
    tariffIds: { collection: tariffs, ids: tariffIds ?? [] },
    productIds: { collection: products, ids: productIds ?? [] },
    performanceIds: { collection: performances, ids: performanceIds ?? [] },
  };
};

const nouns = {
  taxId: 'tax',
  channels: 'point of sale',
  unlocks: 'tariff',
  tariffIds: 'tariff',
  productIds: 'product',
  performanceIds: 'performance',
} as const;

/** None of what a rule names is ever deleted, so what the request does not name exists. */
const findUnknownReferences = async (collections: Context['collections'], rule: RuleDetails, body: object) => {
  const named = Object.entries(listReferences(rule)).filter(
    ([name, { ids }]) => Object.hasOwn(body, name) && ids.length,
  );
  if (named.length === 0) return [];
  const found = await collections.getTogether(Object.fromEntries(named));
  return named.flatMap(([name, { ids }]) =>
    ids.flatMap((id) => {
      const one = found[name]?.get(id) as RuleDocument | undefined;
      const isKnown = one && (name !== 'taxId' || one.rule.kind === 'tax');
      return isKnown ? [] : [`$.${name}: there is no ${nouns[name as keyof typeof nouns]} ${id}`];
    }),
  );
};

/** @throws Fault `semantically_invalid` if there is no such tax */
export async function requireTax(context: Context, taxId: string | null | undefined): Promise<void> {
  if (taxId == null) return;
  const tax = await context.collections.priceRules.get(taxId);
  if (tax?.rule.kind !== 'tax') refuseProblems([`$.taxId: there is no tax ${taxId}`]);
}

export async function createRule(
  context: Context,
  document: Omit<RuleDocument, 'version' | 'institution'>,
  idempotencyRecord?: IdempotencyRecord<RuleDocument>,
  more: Pick<RuleDocument, 'pool'> = {},
): Promise<RuleDocument> {
  const { institutions, institution, priceRules } = context.collections;
  await institutions.claim({ where: { id: institution, priced: { ne: true } }, set: { priced: true } });
  const written = await priceRules
    .insert({ ...document, ...toIndexMember(document.rule), ...more }, { idempotencyRecord })
    .catch(onDuplicate(document.rule.kind));
  await invalidateCatalog(context);
  return written;
}

const toIndexMember = (rule: RuleDetails) => ({ applies: isUnconditional(rule) ? ('always' as const) : undefined });

const onDuplicate = (kind: RuleKind) => (error: unknown) => {
  const code = kind === 'tax' ? 'tax_duplicate_code' : 'fee_duplicate_code';
  if (!(error instanceof UniqueViolation && error.index === 'code')) throw error;
  throw new Fault(code, `Another ${kind} has the same code.`);
};

/** `to` makes the new details, or throws to refuse; it is pure. @throws Fault `…_duplicate_code` */
export async function changeRule(
  context: Context,
  { id, rule: { kind } }: RuleDocument,
  to: (current: RuleDocument) => RuleDetails,
  idempotencyRecord?: IdempotencyRecord<RuleDocument>,
): Promise<RuleDocument> {
  const written = await context.collections.priceRules
    .update(
      id,
      (current) => {
        const next = applyRuleChange(current, to(current), readTimestamp(context));
        return next && { next };
      },
      { idempotencyRecord },
    )
    .catch(onDuplicate(kind));
  await invalidateCatalog(context);
  return written ?? throwNotFound();
}

/** Undefined if nothing changes. */
export function applyRuleChange(current: RuleDocument, rule: RuleDetails, now: string): RuleDocument | undefined {
  if (JSON.stringify(rule) === JSON.stringify(current.rule)) return undefined;
  return { ...current, ...toIndexMember(rule), rule, revision: current.revision + 1, updatedAt: now };
}
