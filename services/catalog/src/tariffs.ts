import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  createChangesPageSchema,
  createCheck,
  created,
  createNullableSchema,
  createPatchSchema,
  createView,
  listQuery,
  listReadOnlyMembers,
  mergePatch,
  named,
  ok,
  oneOf,
  operation,
  pathId,
  readChangesPage,
  timestamp,
} from '@boxoffice/http';
import type { ReturnTerms } from '@boxoffice/prices';
import { type IdempotencyRecord, type Store, UniqueViolation } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import {
  type Context,
  createContext,
  invalidateCatalog,
  readTimestamp,
  requireInstitution,
  throwNotFound,
} from './context.ts';
import type { TariffDetails } from './domain/tariff.ts';
import { givenReturnPolicy, readReturnTerms, returnPolicy } from './pricing/return-policy.ts';
import { requireTax } from './pricing/rules.ts';
import { exampleIds, taxId } from './pricing/schemas.ts';
import { asOf, code, createdAt, ids, names, shownCode } from './schemas.ts';
import type { TariffDocument } from './store.ts';

const criterion = createNullableSchema(
  oneOf(['member'], { description: 'of the contacts who may buy it; null: everybody' }),
);

const hidden = Type.Boolean({
  description: 'sold only with a discount that unlocks it, and not shown to the public; default false',
});

const TariffBody = named(
  'TariffInput',
  Type.Object({
    code,
    name: names,
    criterion: Type.Optional(criterion),
    taxId: Type.Optional(taxId),
    hidden: Type.Optional(hidden),
    returnPolicy: Type.Optional(givenReturnPolicy),
  }),
);

export const Tariff = named(
  'Tariff',
  Type.Object({
    id: Type.String(),
    code: shownCode,
    name: names,
    criterion,
    taxId,
    hidden,
    returnPolicy,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const view = createView(Tariff);

export function toTariffView(tariff: TariffDocument): Static<typeof Tariff> {
  const { taxId = null, hidden = false, returnPolicy = null } = tariff;
  return view({ ...tariff, taxId, hidden, returnPolicy });
}

/** The demo data do not have it, so that the example can be sent. */
const addedTariff = { code: 'FAMILY', name: { fr: 'Familles', en: 'Families' } };

export const tariff = {
  id: ids.tariff,
  code: 'FULL',
  name: { fr: 'Plein tarif', en: 'Full price' },
  criterion: null,
  taxId: exampleIds.tax,
  hidden: false,
  returnPolicy: { returnMinutes: 2_880, returnFee: { amount: 500 }, exchangeMinutes: 60, exchangeFee: null },
  createdAt,
  updatedAt: createdAt,
};

const single = {
  path: '/svc/v3/catalog/tariffs/{tariffId}',
  params: { tariffId: pathId },
  answers: { 200: Tariff },
  etag: true,
} as const;

const check = createCheck(TariffBody);

export function createTariffsRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'listTariffs',
      method: 'get',
      path: '/svc/v3/catalog/tariffs',
      access: 'catalog:read',
      summary: 'Lists tariffs in order of creation',
      description: 'With `modifiedSince` only those that have changed since.',
      query: listQuery,
      answers: { 200: createChangesPageSchema(Tariff) },
      example: { answer: { items: [tariff], nextCursor: null, asOf } },
      handle: (request) => {
        const { collections, now } = createContext(store, request.caller.institution);
        return readChangesPage(request, collections.tariffs, { clock: now, item: toTariffView });
      },
    }),
    operation({
      id: 'createTariff',
      method: 'post',
      path: '/svc/v3/catalog/tariffs',
      access: 'catalog:write',
      summary: 'Creates a tariff',
      description: 'A point of sale sells it once it is among its `tariffIds` and a performance has a price for it.',
      body: TariffBody,
      answers: { 201: Tariff },
      errors: ['not_found', 'semantically_invalid', 'tariff_duplicate_code'],
      etag: true,
      example: { body: addedTariff, answer: { ...tariff, ...addedTariff } },
      handle: async ({ caller, body, remember }) => {
        const reply = (tariff: TariffDocument) =>
          created(toTariffView(tariff), `/svc/v3/catalog/tariffs/${tariff.id}`, validatorOf(tariff));
        const context = createContext(store, caller.institution);
        return reply(await createTariff(context, toTariffDetails(body), remember(reply)));
      },
    }),
    operation({
      ...single,
      id: 'getTariff',
      method: 'get',
      access: 'catalog:read',
      summary: 'Returns a tariff',
      description: 'With its name in every language.',
      example: { params: { tariffId: ids.tariff }, answer: tariff },
      handle: async ({ caller, params }) =>
        answer(
          (await createContext(store, caller.institution).collections.tariffs.get(params.tariffId)) ?? throwNotFound(),
        ),
    }),
    operation({
      ...single,
      id: 'changeTariff',
      method: 'patch',
      access: 'catalog:write',
      summary: 'Changes members of a tariff',
      description: 'A merge patch (RFC 7396): absent members stay.',
      body: named('TariffChanges', createPatchSchema(TariffBody)),
      readOnly: listReadOnlyMembers(Tariff, TariffBody),
      errors: ['semantically_invalid', 'tariff_duplicate_code'],
      conditional: true,
      example: {
        params: { tariffId: ids.tariff },
        body: { name: { en: 'Regular' } },
        answer: { ...tariff, name: { fr: 'Plein tarif', en: 'Regular' } },
      },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        const to = (current: TariffDocument) => {
          ifMatch(validatorOf(current).etag);
          requireUnchanged(toTariffView(current));
          const { code, name, criterion, taxId, hidden } = current;
          const before = {
            code,
            name,
            ...(criterion && { criterion }),
            ...(taxId && { taxId }),
            ...(hidden && { hidden }),
          };
          const { returnPolicy, ...changes } = body;
          const details = toTariffDetails(check(mergePatch<Static<typeof TariffBody>>(before, changes)));
          return withReturnPolicy(details, readReturnTerms(returnPolicy, current.returnPolicy));
        };
        const context = createContext(store, caller.institution);
        if (!(await context.collections.tariffs.get(params.tariffId))) throwNotFound();
        await requireTax(context, body.taxId);
        return answer(await changeTariff(context, params.tariffId, to, remember(answer)));
      },
    }),
  ];
}

const validatorOf = ({ version }: TariffDocument) => ({ etag: String(version) });

const toTariffDetails = (body: Static<typeof TariffBody>): TariffDetails => {
  const { code, name, criterion = null, taxId, hidden } = body;
  const details = { code, name, criterion, ...(taxId ? { taxId } : {}), ...(hidden ? { hidden } : {}) };
  return withReturnPolicy(details, readReturnTerms(body.returnPolicy));
};

const withReturnPolicy = (details: TariffDetails, returnPolicy: ReturnTerms | null): TariffDetails =>
  returnPolicy ? { ...details, returnPolicy } : details;

/** @throws Fault `not_found` (no such institution), `semantically_invalid`, `tariff_duplicate_code` */
const createTariff = async (
  context: Context,
  details: TariffDetails,
  idempotencyRecord?: IdempotencyRecord<TariffDocument>,
): Promise<TariffDocument> => {
  await requireInstitution(context.collections);
  await requireTax(context, details.taxId);
  const now = readTimestamp(context);
  const tariff = await context.collections.tariffs
    .insert({ id: context.newId('trf'), ...details, createdAt: now, updatedAt: now }, { idempotencyRecord })
    .catch(onDuplicate);
  await invalidateCatalog(context);
  return tariff;
};

const onDuplicate = (error: unknown): never => {
  if (error instanceof UniqueViolation && error.index === 'code') {
    throw new Fault('tariff_duplicate_code', 'Another tariff has the same code.');
  }
  throw error;
};

const answer = (tariff: TariffDocument) => ok(toTariffView(tariff), validatorOf(tariff));

/** `to` makes the new details, or throws to refuse; it is pure. @throws Fault `not_found`, `tariff_duplicate_code` */
const changeTariff = async (
  context: Context,
  id: string,
  to: (tariff: TariffDocument) => TariffDetails,
  idempotencyRecord?: IdempotencyRecord<TariffDocument>,
): Promise<TariffDocument> => {
  const tariff = await context.collections.tariffs
    .update(
      id,
      (current) => {
        const { taxId: _, hidden: __, returnPolicy: ___, ...rest } = current;
        const next = { ...rest, ...to(current) };
        return JSON.stringify(toTariffView(next)) === JSON.stringify(toTariffView(current))
          ? undefined
          : { next: { ...next, updatedAt: readTimestamp(context) } };
      },
      { idempotencyRecord },
    )
    .catch(onDuplicate);
  if (!tariff) return throwNotFound();
  await invalidateCatalog(context);
  return tariff;
};
