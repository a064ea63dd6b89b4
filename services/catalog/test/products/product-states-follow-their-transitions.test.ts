import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mayBecome, type ProductState, productStates } from '../../src/domain/product.ts';
import { createProduct, type Product } from '../fixture/data.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

const allowed: readonly string[] = [
  'preparing validated',
  'preparing cancelled',
  'validated running',
  'validated cancelled',
  'running suspended',
  'running closed',
  'running cancelled',
  'suspended running',
  'suspended closed',
  'suspended cancelled',
  'closed cancelled',
];

describe('product states', () => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog();
  });
  afterAll(() => catalog.close());

  const change = (id: string, state: string) =>
    catalog.call<Product>('PATCH', `/svc/v3/catalog/products/${id}`, { body: { state } });

  test('the rule allows exactly these transitions and the same state', () => {
    const pairs = productStates.flatMap((from) => productStates.map((to): [ProductState, ProductState] => [from, to]));
    const may = pairs.filter(([from, to]) => from !== to && mayBecome(from, to)).map((pair) => pair.join(' '));
    expect(may.sort()).toEqual([...allowed].sort());
    expect(productStates.every((state) => mayBecome(state, state))).toBe(true);
  });

  test('each transition succeeds over HTTP; any other is 409 and changes nothing', async () => {
    const { data } = await createProduct(catalog, { state: 'preparing' });
    const shortcut = await change(data.id, 'running');
    expect([shortcut.status, shortcut.body.status]).toEqual([409, 'product_state_conflict']);
    expect(shortcut.data).toBeNull();
    for (const state of ['validated', 'running', 'suspended', 'running', 'closed', 'cancelled']) {
      expect((await change(data.id, state)).data.state).toBe(state);
    }
    expect((await change(data.id, 'running')).body.status).toBe('product_state_conflict');
  });

  test('the same state again is 200 without effect', async () => {
    const first = await createProduct(catalog);
    const again = await change(first.data.id, 'running');
    expect(again.status).toBe(200);
    expect(again.data).toEqual(first.data);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('a creation accepts preparing, validated or running; the default is preparing', async () => {
    expect((await createProduct(catalog, { state: undefined })).data.state).toBe('preparing');
    expect((await createProduct(catalog, { state: 'validated' })).data.state).toBe('validated');
    const closed = await catalog.call('POST', '/svc/v3/catalog/products', {
      body: { code: 'X', type: 'show', name: { en: 'X' }, state: 'closed' },
    });
    expect([closed.status, closed.body.status]).toEqual([400, 'validation_error']);
  });
});
