import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { engines, openFixture } from '../fixture/fixture.ts';

interface Quote {
  readonly available: boolean;
  readonly currency: string | null;
  readonly total: number;
  readonly lines: readonly { readonly item: number; readonly amount: number }[];
  readonly refusals: readonly { readonly item: number | null; readonly status: string; readonly details: string }[];
}

describe.each(engines)('a quote holds nothing and gives every refusal, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine));

  const quote = async (items: readonly object[], more: object = {}): Promise<Quote> => {
    const { status, data, text } = await fixture.call<Quote>('POST', '/quotes', { body: { items, ...more } });
    expect([status, text]).toEqual([200, text]);
    return data;
  };
  const codes = ({ refusals }: Quote) => refusals.map(({ item, status }) => [item, status]);

  test('what the order would cost, a line for each place', async () => {
    const [hall, other] = [fixture.catalog.hall(3), fixture.catalog.hall(2)];
    const before = fixture.catalog.calls.filter(({ operation }) => operation === 'holdPlaces').length;
    const quoted = await quote([hall.item(2), other.item(undefined, other.placeIds)]);
    expect(quoted).toMatchObject({ available: true, currency: hall.currency, refusals: [] });
    expect(quoted.lines).toEqual(
      [0, 0, 1, 1].map((item) => {
        const { performanceId, seatCategoryId, tariffId, amount } = item === 0 ? hall : other;
        return { item, performanceId, seatCategoryId, tariffId, amount };
      }),
    );
    expect(quoted.total).toBe(2 * hall.amount + 2 * other.amount);
    expect(fixture.catalog.calls.filter(({ operation }) => operation === 'holdPlaces')).toHaveLength(before);
    const { data } = await fixture.call('POST', '', { body: { items: [hall.item(2)] } });
    expect(data.total).toBe(2 * hall.amount);
  });

  test('contact, items, currencies and places, each with the code of a new order', async () => {
    const [small, closed] = [fixture.catalog.hall(1), fixture.catalog.hall(1)];
    const euros = fixture.catalog.hall(1, { currency: 'EUR' });
    const foreign = fixture.catalog.hall(1, { institution: 'museum' });
    fixture.catalog.refuse(closed, 'not_on_sale');
    const items = [small.item(2), closed.item(), euros.item(), foreign.item()];
    const quoted = await quote(items, { contactNumber: 'C-unknown' });
    expect(codes(quoted)).toEqual([
      [null, 'validation_error'],
      [null, 'validation_error'],
      [0, 'order_places_unavailable'],
      [1, 'order_not_on_sale'],
      [3, 'validation_error'],
    ]);
    expect([quoted.available, quoted.currency]).toEqual([false, null]);
    expect(quoted.refusals[0]?.details).toContain('$.contactNumber');
    expect(quoted.lines.map(({ item }) => item)).toEqual([0, 0, 1, 2]);
  });

  test('more places than one order may have, or than the client may hold', async () => {
    const hall = fixture.catalog.hall(1);
    const many = await quote(Array.from({ length: 21 }, () => hall.item(50)));
    expect(codes(many)).toContainEqual([null, 'order_too_many_places']);
    const limited = await openFixture(engine, { maxHeldPlaces: 2 });
    const one = limited.catalog.hall(9);
    const { data } = await limited.call<Quote>('POST', '/quotes', { body: { items: [one.item(3)] } });
    expect(codes(data)).toEqual([[null, 'order_hold_limit']]);
    await limited.close();
  });

  test('with a key a repeat gets the first answer; another body and a malformed key are refused', async () => {
    const hall = fixture.catalog.hall(3);
    const asked = () => fixture.catalog.calls.filter(({ operation }) => operation === 'quoteOrderItems').length;
    const ask = (key: string | undefined, places: number) =>
      fixture.call<Quote>('POST', '/quotes', { body: { items: [hall.item(places)] }, ...(key && { key }) });
    const [first, calls] = [await ask('quote', 2), asked()];
    const second = await ask('quote', 2);
    expect([first.status, first.headers.get('Idempotency-Replayed')]).toEqual([200, null]);
    expect([second.status, second.headers.get('Idempotency-Replayed')]).toEqual([200, 'true']);
    expect([second.text, asked()]).toEqual([first.text, calls]);
    expect(await ask('quote', 1)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(await ask('k'.repeat(256), 2)).toMatchObject({ status: 400, code: 'invalid_parameter' });
    // Without a key each request is answered anew.
    for (const _ of [1, 2]) expect((await ask(undefined, 2)).headers.get('Idempotency-Replayed')).toBeNull();
    expect(asked()).toBe(calls + 2);
  });

  test('faults of form stay 400, and while the catalog is down the answer is 503', async () => {
    const hall = fixture.catalog.hall(1);
    expect((await fixture.call('POST', '/quotes', { body: { items: [] } })).code).toBe('validation_error');
    expect((await fixture.call('POST', '/quotes', { body: {} })).code).toBe('bad_request');
    fixture.catalog.mishaps.set('quoteOrderItems', 'fails');
    expect((await fixture.call('POST', '/quotes', { body: { items: [hall.item()] } })).status).toBe(503);
    fixture.catalog.mishaps.clear();
  });
});
