import { createClient } from '@boxoffice/client';
import { expect, test } from '@jest/globals';
import { installation, refusal, success } from '../installation.ts';

const three = () =>
  installation(({ query }) => {
    const page = Number(query.cursor ?? 0);
    const items = [{ id: `ord_${page}a` }, { id: `ord_${page}b` }];
    return success({ items, nextCursor: page < 2 ? `${page + 1}` : null, asOf: 'now' });
  });

test('a loop gets every record, with the same query on each page', async () => {
  const { baseUrl, received } = await three();
  const found: string[] = [];
  const client = createClient({ baseUrl, accessToken: 'token' });
  for await (const { id } of client.listOrders({ query: { state: 'confirmed', limit: 2 } })) found.push(id);
  expect(found).toEqual(['ord_0a', 'ord_0b', 'ord_1a', 'ord_1b', 'ord_2a', 'ord_2b']);
  expect(received.map(({ query }) => query)).toEqual([
    { state: 'confirmed', limit: '2' },
    { state: 'confirmed', limit: '2', cursor: '1' },
    { state: 'confirmed', limit: '2', cursor: '2' },
  ]);
});

test('awaited, a list is its first page; a loop that ends early requests no more', async () => {
  const { baseUrl, received } = await three();
  const client = createClient({ baseUrl, accessToken: 'token' });
  expect((await client.listOrders()).items).toHaveLength(2);
  for await (const _ of client.listOrders()) break;
  expect(received).toHaveLength(2);
});

test('pages carry what belongs to the list', async () => {
  const { baseUrl } = await three();
  const pages: unknown[] = [];
  for await (const { asOf, nextCursor } of createClient({ baseUrl, accessToken: 'token' }).listOrders().pages())
    pages.push([asOf, nextCursor]);
  expect(pages).toEqual([
    ['now', '1'],
    ['now', '2'],
    ['now', null],
  ]);
});

test('a refusal ends the loop, whichever page it is', async () => {
  for (const refused of [undefined, '1']) {
    const { baseUrl } = await installation(({ query }) =>
      query.cursor === refused ? refusal(403, 'forbidden') : success({ items: [{ id: 'a' }], nextCursor: '1' }),
    );
    const loop = async () => {
      for await (const _ of createClient({ baseUrl, accessToken: 'token' }).listOrders());
    };
    await expect(loop()).rejects.toMatchObject({ status: 'forbidden' });
  }
});
