import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  created,
  listQuery,
  mergePatch,
  nullable,
  ok,
  oneOf,
  operation,
  page,
  pageOf,
  patchOf,
} from '@boxoffice/http';
import { type Store, UniqueViolation } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { contextOf, markCatalog, notFound, refuseProblems, timestampOf } from './context.ts';
import * as examples from './examples.ts';
import { code, id, Tariff, texts } from './schemas.ts';
import type { TariffDocument } from './store.ts';
import { tariffView } from './views.ts';

const TariffBody = Type.Object({
  code,
  name: texts(200),
  criterion: Type.Optional(nullable(oneOf(['member']))),
});

const params = { tariffId: id };

const answer = (tariff: TariffDocument) => ok(tariffView(tariff), { etag: String(tariff.version) });

const onDuplicate = (error: unknown): never => {
  if (error instanceof UniqueViolation && error.index === 'code') {
    throw new Fault('tariff_duplicate_code', 'Another tariff has the same code.');
  }
  throw error;
};

/** The operations on tariffs. */
export const tariffsRoutes = (store: Store): AnyOperation[] => [
  operation({
    id: 'listTariffs',
    method: 'get',
    path: '/svc/v3/catalog/tariffs',
    access: 'catalog:read',
    summary: 'Lists tariffs in order of creation',
    query: listQuery,
    answers: { 200: page(Tariff) },
    example: { answer: { items: [examples.tariff], nextCursor: null } },
    handle: (request) =>
      pageOf(request, contextOf(store, request.caller.institution).shelf.tariffs, { item: tariffView }),
  }),
  operation({
    id: 'createTariff',
    method: 'post',
    path: '/svc/v3/catalog/tariffs',
    access: 'catalog:write',
    summary: 'Creates a tariff',
    body: TariffBody,
    answers: { 201: Tariff },
    errors: ['tariff_duplicate_code'],
    etag: true,
    example: { body: examples.newTariff, answer: examples.tariff },
    handle: async ({ caller, body, remember }) => {
      const context = contextOf(store, caller.institution);
      const reply = (tariff: TariffDocument) => ({
        ...answer(tariff),
        ...created(tariffView(tariff), `/svc/v3/catalog/tariffs/${tariff.id}`),
      });
      const now = timestampOf(context);
      const { code, name, criterion = null } = body;
      const tariff = await context.shelf.tariffs
        .insert(
          { id: context.newId('trf'), code, name, criterion, createdAt: now, updatedAt: now },
          { stamp: remember(reply) },
        )
        .catch(onDuplicate);
      await markCatalog(context);
      return reply(tariff);
    },
  }),
  operation({
    id: 'getTariff',
    method: 'get',
    path: '/svc/v3/catalog/tariffs/{tariffId}',
    access: 'catalog:read',
    summary: 'Gives a tariff',
    params,
    answers: { 200: Tariff },
    etag: true,
    example: { params: { tariffId: examples.ids.tariff }, answer: examples.tariff },
    handle: async ({ caller, params }) =>
      answer((await contextOf(store, caller.institution).shelf.tariffs.get(params.tariffId)) ?? notFound()),
  }),
  operation({
    id: 'changeTariff',
    method: 'patch',
    path: '/svc/v3/catalog/tariffs/{tariffId}',
    access: 'catalog:write',
    summary: 'Changes members of a tariff',
    params,
    body: patchOf(TariffBody),
    readOnly: ['id', 'createdAt', 'updatedAt'],
    answers: { 200: Tariff },
    errors: ['semantically_invalid', 'tariff_duplicate_code'],
    conditional: true,
    etag: true,
    example: {
      params: { tariffId: examples.ids.tariff },
      body: { name: { en: 'Regular' } },
      answer: { ...examples.tariff, name: { fr: 'Plein tarif', en: 'Regular' } },
    },
    handle: async ({ caller, params, body, ifMatch, remember }) => {
      const context = contextOf(store, caller.institution);
      const tariff = await context.shelf.tariffs
        .update(
          params.tariffId,
          (current) => {
            ifMatch(String(current.version));
            const { code, name, criterion } = current;
            const before = { code, name, ...(criterion ? { criterion } : {}) };
            const merged = mergePatch<Static<typeof TariffBody>>(before, body);
            refuseProblems(
              Object.keys(merged.name).length > 0 ? [] : ['$.name must have a text in at least one language'],
            );
            if (JSON.stringify(before) === JSON.stringify(merged)) return undefined;
            return {
              next: { ...current, ...merged, criterion: merged.criterion ?? null, updatedAt: timestampOf(context) },
            };
          },
          { stamp: remember(answer) },
        )
        .catch(onDuplicate);
      await markCatalog(context);
      return answer(tariff ?? notFound());
    },
  }),
];
