import { Fault } from '@boxoffice/envelope';
import { type IdempotencyRecord, UniqueViolation } from '@boxoffice/store';
import { type Context, institutionOf, invalidateCatalog, notFound, timestampOf } from '../context.ts';
import type { TariffDetails } from '../domain/tariff.ts';
import type { TariffDocument } from '../store.ts';

const onDuplicate = (error: unknown): never => {
  if (error instanceof UniqueViolation && error.index === 'code') {
    throw new Fault('tariff_duplicate_code', 'Another tariff has the same code.');
  }
  throw error;
};

/** Creates a tariff. @throws Fault `not_found` (no such institution), `tariff_duplicate_code` */
export const createTariff = async (
  context: Context,
  { code, name, criterion }: TariffDetails,
  idempotencyRecord?: IdempotencyRecord<TariffDocument>,
): Promise<TariffDocument> => {
  await institutionOf(context.collections);
  const now = timestampOf(context);
  const tariff = await context.collections.tariffs
    .insert({ id: context.newId('trf'), code, name, criterion, createdAt: now, updatedAt: now }, { idempotencyRecord })
    .catch(onDuplicate);
  await invalidateCatalog(context);
  return tariff;
};

/**
 * Changes a tariff. `to` makes the new details, or throws to refuse; it is pure.
 * @throws Fault `not_found`, `tariff_duplicate_code`
 */
export const changeTariff = async (
  context: Context,
  id: string,
  to: (tariff: TariffDocument) => TariffDetails,
  idempotencyRecord?: IdempotencyRecord<TariffDocument>,
): Promise<TariffDocument> => {
  const tariff = await context.collections.tariffs
    .update(
      id,
      (current) => {
        const { code, name, criterion } = to(current);
        const next = { ...current, code, name, criterion };
        return JSON.stringify(next) === JSON.stringify(current)
          ? undefined
          : { next: { ...next, updatedAt: timestampOf(context) } };
      },
      { idempotencyRecord },
    )
    .catch(onDuplicate);
  if (!tariff) return notFound();
  await invalidateCatalog(context);
  return tariff;
};
