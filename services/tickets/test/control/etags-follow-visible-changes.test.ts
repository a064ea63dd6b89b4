import { expect, test } from '@jest/globals';
import { cancelled, confirmed, firstOf, issued, printed } from '../fixture/orders.ts';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';

describeOnEachEngine('ETags follow visible changes', (fixture) => {
  const get = (id: string) => fixture.call('GET', `${PATH}/${id}`);
  const etagOf = async (id: string) => (await get(id)).headers.get('etag') ?? '';
  const act = (method: string, id: string, what: string, etag: string) =>
    fixture.call(method, `${PATH}/${id}/${what}`, { headers: { 'if-match': etag } });

  test('a new buyer is not visible: the ETag stays valid', async () => {
    const order = await issued(fixture, confirmed(1, 'C1'));
    const id = firstOf(order);
    const before = await get(id);
    const etag = before.headers.get('etag') ?? '';
    for (const [version, contactNumber] of [
      [7, 'C2'],
      [9, 'C3'],
    ] as const)
      await fixture.deliver('order.confirmed', { ...order, contactNumber }, { version });
    const after = await get(id);
    expect([after.headers.get('etag'), after.text]).toEqual([etag, before.text]);
    const print = await act('POST', id, 'printing', etag);
    expect(print.status).toBe(200);
    expect((await act('DELETE', id, 'printing', etag)).status).toBe(412);
    const next = print.headers.get('etag') ?? '';
    expect(next).not.toBe(etag);
    expect(await etagOf(id)).toBe(next);
    const replaced = await act('POST', id, 'replacement', next);
    expect(replaced.status).toBe(201);
    const { id: newId } = replaced.data as { id: string };
    expect(await etagOf(newId)).toBe(replaced.headers.get('etag'));
  });

  test('the ETag of a controlled ticket stays if a cancellation leaves it controlled', async () => {
    const { order, id } = await printed(fixture);
    await fixture.call('POST', `${PATH}/${id}/control`);
    const etag = await etagOf(id);
    await fixture.deliver('order.cancelled', cancelled(order), { version: 9 });
    expect(await etagOf(id)).toBe(etag);
    expect((await act('DELETE', id, 'control', etag)).body.details).toContain('stays controlled');
  });

  test('two visible states never have the same ETag', async () => {
    const { order, id } = await printed(fixture, confirmed(1, 'C1'));
    const seen = new Map<string, string>();
    const check = async () => {
      const { headers, text } = await get(id);
      const etag = headers.get('etag') ?? '';
      expect(seen.get(etag) ?? text).toBe(text);
      seen.set(etag, text);
    };
    const buyer = (version: number) =>
      fixture.deliver('order.confirmed', { ...order, contactNumber: `C${version}` }, { version });
    await check();
    for (let round = 0; round < 3; round += 1) {
      await fixture.call('POST', `${PATH}/${id}/control`);
      await check();
      await buyer(10 + round);
      await check();
      await fixture.call('DELETE', `${PATH}/${id}/control`);
      await check();
    }
    expect(seen.size).toBe(7);
  });
});
