// Taxes, fees and discounts, their codes and uses, as the tests of this folder make and read them.

import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { UsesAnswer } from '../../src/stock/uses.ts';
import { addMinutesToNow, createCode, type Instance } from '../fixture/service.ts';

export interface Discount {
  readonly id: string;
  readonly limits: { readonly uses: number | null; readonly usesPerOrder: number | null } | null;
  readonly usage: { readonly held: number; readonly used: number; readonly free: number | null };
  readonly [member: string]: unknown;
}

export const DISCOUNTS = '/svc/v3/catalog/discounts';

type Options = Parameters<Instance['call']>[2];

export interface Rule {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** With a code of its own. */
export function createRule(on: Instance, path: string, more: object) {
  const body = { code: createCode(), name: { en: 'Some' }, ...more };
  return on.call<Rule>('POST', `/svc/v3/catalog/${path}`, { body });
}

export function createDiscount(on: Instance, more: object = {}, options: Options = {}) {
  const body = { name: { en: 'Some' }, trigger: 'automatic', effect: { percent: '10' }, ...more };
  return on.call<Discount>('POST', DISCOUNTS, { ...options, body });
}

export function changeDiscount(on: Instance, { id }: { readonly id: string }, body: object, options: Options = {}) {
  return on.call<Discount>('PATCH', `${DISCOUNTS}/${id}`, { ...options, body });
}

export async function readDiscount(on: Instance, { id }: { readonly id: string }): Promise<Discount> {
  return (await on.call<Discount>('GET', `${DISCOUNTS}/${id}`)).data;
}

export function makeCodes(on: Instance, { id }: { readonly id: string }, body: object, options: Options = {}) {
  const path = `${DISCOUNTS}/${id}/codes`;
  return on.call<{ readonly batchId: string; readonly count: number }>('POST', path, { ...options, body });
}

/** Asks for uses of pools; `more` may name the holder and the request. */
export async function claimUses(on: Instance, uses: Readonly<Record<string, number>>, more: object = {}) {
  const body = {
    ...{ holder: `ord_${randomUUID()}`, requestId: 'one', heldUntil: addMinutesToNow(5) },
    uses: Object.entries(uses).map(([pool, count]) => ({ pool, count })),
    ...more,
  };
  const { status, data } = await on.call<Static<typeof UsesAnswer>>('POST', '/internal/stock/uses', { body });
  if (status !== 200) throw new Error(`the uses were answered ${status}`);
  return { ...data, holder: body.holder, ids: data.uses.flatMap(({ ids }) => ids) };
}
