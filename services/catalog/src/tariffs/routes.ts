// Tariffs: their operations.

import {
  type AnyOperation,
  changesPage,
  changesPageOf,
  createCheck,
  created,
  listQuery,
  mergePatch,
  named,
  ok,
  operation,
  patchOf,
  pathId,
  readOnlyOf,
} from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import type { Static } from 'typebox';
import { contextOf, notFound } from '../context.ts';
import { asOf, ids } from '../schemas.ts';
import type { TariffDocument } from '../store.ts';
import * as examples from './schemas.ts';
import { Tariff, TariffBody, tariffView } from './schemas.ts';
import { changeTariff, createTariff } from './tariffs.ts';

const params = { tariffId: pathId };

const check = createCheck(TariffBody);

const validatorOf = ({ version }: TariffDocument) => ({ etag: String(version) });

const answer = (tariff: TariffDocument) => ok(tariffView(tariff), validatorOf(tariff));

/** Tariffs: list, create, read, change. */
export const tariffsRoutes = (store: Store): AnyOperation[] => [
  operation({
    id: 'listTariffs',
    method: 'get',
    path: '/svc/v3/catalog/tariffs',
    access: 'catalog:read',
    summary: 'Lists tariffs in order of creation',
    description: 'With `modifiedSince` only those that have changed since.',
    query: listQuery,
    answers: { 200: changesPage(Tariff) },
    example: { answer: { items: [examples.tariff], nextCursor: null, asOf } },
    handle: (request) => {
      const { collections, now } = contextOf(store, request.caller.institution);
      return changesPageOf(request, collections.tariffs, { clock: now, item: tariffView });
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
    errors: ['not_found', 'tariff_duplicate_code'],
    etag: true,
    example: { body: examples.addedTariff, answer: { ...examples.tariff, ...examples.addedTariff } },
    handle: async ({ caller, body, remember }) => {
      const reply = (tariff: TariffDocument) =>
        created(tariffView(tariff), `/svc/v3/catalog/tariffs/${tariff.id}`, validatorOf(tariff));
      const { code, name, criterion = null } = body;
      return reply(
        await createTariff(contextOf(store, caller.institution), { code, name, criterion }, remember(reply)),
      );
    },
  }),
  operation({
    id: 'getTariff',
    method: 'get',
    path: '/svc/v3/catalog/tariffs/{tariffId}',
    access: 'catalog:read',
    summary: 'Returns a tariff',
    description: 'With its name in every language.',
    params,
    answers: { 200: Tariff },
    etag: true,
    example: { params: { tariffId: ids.tariff }, answer: examples.tariff },
    handle: async ({ caller, params }) =>
      answer((await contextOf(store, caller.institution).collections.tariffs.get(params.tariffId)) ?? notFound()),
  }),
  operation({
    id: 'changeTariff',
    method: 'patch',
    path: '/svc/v3/catalog/tariffs/{tariffId}',
    access: 'catalog:write',
    summary: 'Changes members of a tariff',
    description: 'A merge patch (RFC 7396): absent members stay.',
    params,
    body: named('TariffChanges', patchOf(TariffBody)),
    readOnly: readOnlyOf(Tariff, TariffBody),
    answers: { 200: Tariff },
    errors: ['tariff_duplicate_code'],
    conditional: true,
    etag: true,
    example: {
      params: { tariffId: ids.tariff },
      body: { name: { en: 'Regular' } },
      answer: { ...examples.tariff, name: { fr: 'Plein tarif', en: 'Regular' } },
    },
    handle: async ({ caller, params, body, ifMatch, unchanged, remember }) => {
      const to = (current: TariffDocument) => {
        ifMatch(validatorOf(current).etag);
        unchanged(tariffView(current));
        const { code, name, criterion } = current;
        const before = { code, name, ...(criterion ? { criterion } : {}) };
        return { criterion: null, ...check(mergePatch<Static<typeof TariffBody>>(before, body)) };
      };
      return answer(await changeTariff(contextOf(store, caller.institution), params.tariffId, to, remember(answer)));
    },
  }),
];
