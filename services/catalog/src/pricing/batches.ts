import { Fault } from '@boxoffice/envelope';
import { deriveId } from '@boxoffice/runtime';
import { scheduleSoon, type WorkResult } from '@boxoffice/service';
import type { IdempotencyRecord, Store } from '@boxoffice/store';
import { type Context, createContext, readTimestamp, refuseProblems, throwNotFound } from '../context.ts';
import { insertPlaces } from '../performances/performances.ts';
import type { CodeDocument, Collections, RuleDocument } from '../store.ts';
import { buildUses } from './uses.ts';

/** Codes that differ in case alone are one. */
export function deriveCodeId(institution: string, code: string): string {
  return deriveId('cod', institution, code.toUpperCase());
}

export type Wanted = Pick<CodeDocument, 'code' | 'maxUses'>;

/** @throws Fault `not_found` */
export async function requireDiscount({ priceRules }: Collections, id: string) {
  const found = await priceRules.get(id);
  return found?.rule.kind === 'discount' ? { discountId: id, rule: found.rule } : throwNotFound();
}

interface Batch {
  readonly discountId: string;
  readonly batchId: string;
  readonly wanted: readonly Wanted[];
}

const throwDuplicate = (code: string): never => {
  throw new Fault('discount_duplicate_code', `The institution has the code ${code} already; none was made.`);
};

/**
 * Nobody sees a code before its batch is written, in the discount: from then on all are made, also by another process.
 * What an interrupted request leaves expires. @throws Fault `not_found`, `semantically_invalid`,
 * `discount_duplicate_code`
 */
export async function makeCodes(
  context: Context,
  { discountId, batchId, wanted }: Batch,
  idempotencyRecord?: IdempotencyRecord<RuleDocument>,
): Promise<void> {
  const { collections } = context;
  const { institution, discountCodes, places, priceRules } = collections;
  const { rule } = await requireDiscount(collections, discountId);
  refuseProblems(rule.trigger === 'code' ? [] : ['an automatic discount has no codes']);
  const now = readTimestamp(context);
  const common = { discountId, batchId, state: 'active', createdAt: null, makingSince: now } as const;
  const made = wanted.map((one) => ({ id: deriveCodeId(institution, one.code), ...one, ...common }));
  const byId = new Map(made.map((one) => [one.id, one]));
  for (const one of made) if (byId.get(one.id) !== one) throwDuplicate(one.code);
  if ((await discountCodes.insertMany(made)) < made.length) {
    const found = await discountCodes.find({ where: { id: { in: [...byId.keys()] } } });
    const other = found.find((one) => one.batchId !== batchId);
    if (other) {
      for (const one of found) if (one.batchId === batchId) await discountCodes.delete(one.id, one.version);
      throwDuplicate(other.code);
    }
  }
  await insertPlaces(
    places,
    made.flatMap(({ id, maxUses }) => (maxUses === null ? [] : buildUses(id, maxUses))),
  );
  const written = await priceRules.update(
    discountId,
    (current) => ({
      next: { ...current, batches: [...(current.batches ?? []), { batchId, createdAt: now }] },
      due: { showCodes: scheduleSoon(context.now()) },
    }),
    { idempotencyRecord },
  );
  if (written) await publishBatches(collections, written);
}

/** Any number of processes may do it at once. */
const publishBatches = async (
  { discountCodes, priceRules }: Collections,
  { id: discountId, batches = [] }: RuleDocument,
): Promise<void> => {
  for (const { batchId, createdAt } of batches) {
    const where = { discountId, batchId, createdAt: null };
    await discountCodes.claim({ where, set: { createdAt, makingSince: undefined } });
  }
  await priceRules.update(discountId, (current) => {
    const done = new Set(batches.map(({ batchId }) => batchId));
    const left = (current.batches ?? []).filter(({ batchId }) => !done.has(batchId));
    if (left.length === current.batches?.length) return undefined;
    return { next: { ...current, batches: left }, ...(left.length === 0 ? { due: { showCodes: null } } : {}) };
  });
};

export async function showCodes(store: Store, document: RuleDocument): Promise<WorkResult> {
  await publishBatches(createContext(store, document.institution).collections, document);
  return 'done';
}
