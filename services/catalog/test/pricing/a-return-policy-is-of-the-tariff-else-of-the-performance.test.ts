// rule commerce.5: The tariff's counts, else the performance's, else nothing is allowed | services/catalog/src/domain/return-policy.ts
// rule commerce.5: minutes before the start (0 or more; null: not allowed) | services/catalog/src/pricing/return-policy.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import {
  buildItem,
  buildPerformanceBody,
  createCode,
  createShow,
  createStalls,
  startCatalog,
} from '../fixture/service.ts';

const BASE = '/svc/v3/catalog';
const NONE = { returnMinutes: null, returnFee: null, exchangeMinutes: null, exchangeFee: null };
const POLICY = {
  returnMinutes: 2_880,
  returnFee: { amount: 500 },
  exchangeMinutes: 0,
  exchangeFee: { percent: '12.5' },
};

interface Answer {
  readonly id: string;
  readonly returnPolicy: object | null;
}

describe('a return policy', () => {
  const catalog = useFixture(() => startCatalog());

  /** A show, and the paths of its tariff and its performance. */
  const open = async () => {
    const show = await createShow(catalog, createStalls(9));
    const item = buildItem(show);
    const paths = {
      tariff: `${BASE}/tariffs/${item.tariffId}`,
      performance: `${BASE}/performances/${item.performanceId}`,
    };
    return { show, item, ...paths };
  };
  const patch = (path: string, body: object) => catalog.call<Answer>('PATCH', path, { body });
  const policyOf = async (path: string) => (await catalog.call<Answer>('GET', path)).data.returnPolicy;

  test('is made, changed member by member, written back and removed, on a tariff and on a performance', async () => {
    const { tariff, performance } = await open();
    for (const path of [tariff, performance]) {
      expect(await policyOf(path)).toBeNull();
      expect((await patch(path, { returnPolicy: {} })).data.returnPolicy).toEqual(NONE);
      expect((await patch(path, { returnPolicy: POLICY })).data.returnPolicy).toEqual(POLICY);
      expect((await patch(path, { returnPolicy: { returnMinutes: null } })).data.returnPolicy).toEqual({
        ...POLICY,
        returnMinutes: null,
      });
      const { data: read } = await catalog.call<Answer>('GET', path);
      expect((await patch(path, read)).data).toEqual(read);
      expect((await patch(path, { returnPolicy: null })).data.returnPolicy).toBeNull();
      expect(await policyOf(path)).toBeNull();
    }
  });

  test('is of a tariff, and of performances, from the start', async () => {
    const tariff = { code: createCode(), name: { en: 'Some' }, returnPolicy: POLICY };
    const { status, data } = await catalog.call<Answer>('POST', `${BASE}/tariffs`, { body: tariff });
    expect([status, data.returnPolicy]).toEqual([201, POLICY]);
    const { show } = await open();
    const body = { ...buildPerformanceBody(data.id, [createStalls(2)]), returnPolicy: { returnMinutes: 0 } };
    const made = await catalog.call<Answer>('POST', `${BASE}/products/${show.product.id}/performances`, { body });
    expect([made.status, made.data.returnPolicy]).toEqual([201, { ...NONE, returnMinutes: 0 }]);
    const product = { code: createCode(), type: 'show', name: { en: 'Some' }, performances: [body] };
    const wrong = { ...product, performances: [body, { ...body, returnPolicy: { exchangeFee: {} } }] };
    const refused = await catalog.call<{ details: string }>('POST', `${BASE}/products`, { body: wrong });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('$.performances[1].returnPolicy.exchangeFee has either amount, or percent'),
    ]);
    const whole = await catalog.call<{ performances: Answer[] }>('POST', `${BASE}/products`, { body: product });
    expect(whole.data.performances[0]?.returnPolicy).toEqual({ ...NONE, returnMinutes: 0 });
  });

  test('has fees of one kind: one of the other takes its place', async () => {
    const { tariff, performance } = await open();
    for (const path of [tariff, performance]) {
      const feeOf = async (returnFee: object | null) => {
        const { status, data } = await patch(path, { returnPolicy: { returnFee } });
        return status === 200 ? (data.returnPolicy as { returnFee: object }).returnFee : status;
      };
      expect(await feeOf({ amount: 0 })).toEqual({ amount: 0 });
      expect(await feeOf({ percent: '10.50', roundTo: 5 })).toEqual({ percent: '10.5', roundTo: 5 });
      expect(await feeOf({ roundTo: 10 })).toEqual({ percent: '10.5', roundTo: 10 });
      expect(await feeOf({ percent: '100', roundTo: null })).toEqual({ percent: '100' });
      expect(await feeOf({ amount: 7 })).toEqual({ amount: 7 });
      for (const wrong of [
        { amount: 1, percent: '1' },
        { amount: 1, roundTo: 5 },
        { amount: null },
        { amount: -1 },
        { percent: '101' },
        { price: 1 },
      ])
        expect([wrong, await feeOf(wrong)]).toEqual([wrong, 400]);
      for (const minutes of [-1, 1.5, '60'])
        expect((await patch(path, { returnPolicy: { returnMinutes: minutes } })).status).toBe(400);
      expect(await feeOf(null)).toBeNull();
    }
  });

  test('of the tariff counts before that of the performance, in holds and quotes', async () => {
    const { item, tariff, performance } = await open();
    const ask = async () => {
      const held = { holder: `ord_${createCode()}`, requestId: 'one', items: [item] };
      const answers = [
        await catalog.call<{ lines: Partial<Answer>[] }>('POST', '/internal/stock/holds', { body: held }),
        await catalog.call<{ quotes: Partial<Answer>[] }>('POST', '/internal/stock/order-quotes', {
          body: { items: [item] },
        }),
        await catalog.call<{ quotes: Partial<Answer>[] }>('POST', '/internal/stock/quotes', {
          body: { items: [item] },
        }),
      ];
      return answers.map(({ data }) => ('lines' in data ? data.lines : data.quotes)[0]?.returnPolicy);
    };
    expect(await ask()).toEqual([undefined, undefined, undefined]);
    await patch(performance, { returnPolicy: POLICY });
    expect(await ask()).toEqual([POLICY, POLICY, POLICY]);
    await patch(tariff, { returnPolicy: {} });
    expect(await ask()).toEqual([NONE, NONE, NONE]);
  });

  test('is shown in the whole catalogue, by tariff and by performance', async () => {
    const { show, item, tariff, performance } = await open();
    await patch(tariff, { returnPolicy: POLICY });
    await patch(performance, { returnPolicy: { exchangeMinutes: 60 } });
    interface Whole {
      readonly tariffs: readonly Answer[];
      readonly products: readonly { readonly id: string; readonly performances: readonly Answer[] }[];
    }
    const { data } = await catalog.call<Whole>('GET', BASE);
    expect(data.tariffs.find(({ id }) => id === item.tariffId)?.returnPolicy).toEqual(POLICY);
    const shown = data.products.find(({ id }) => id === show.product.id)?.performances;
    expect(shown?.map(({ returnPolicy }) => returnPolicy)).toEqual([{ ...NONE, exchangeMinutes: 60 }]);
  });

  test('a sale answers when its performances begin, and as of which version', async () => {
    const { item } = await open();
    const holder = `ord_${createCode()}`;
    interface Held {
      readonly lines: readonly { readonly startDate: string; readonly place: { readonly id: string } }[];
    }
    const body = { holder, requestId: 'one', items: [item] };
    const { data: held } = await catalog.call<Held>('POST', '/internal/stock/holds', { body });
    const [line] = held.lines;
    const sale = await catalog.call<{ starts: object[] }>('POST', `/internal/stock/holds/${holder}/sale`, {
      body: { placeIds: [line?.place.id] },
    });
    const { performanceId } = item;
    expect(sale.data.starts).toEqual([{ performanceId, startDate: line?.startDate, asOf: expect.any(Number) }]);
  });
});
