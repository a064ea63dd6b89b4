import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { applyProductChange, buildProduct } from '../../src/domain/product.ts';
import { createProduct, type Product, startCatalog } from '../fixture/service.ts';

describe('a product', () => {
  const catalog = useFixture(() => startCatalog());
  const path = (id: string) => `/svc/v3/catalog/products/${id}`;
  type Shown = Product & { readonly image: object | null; readonly details: object | null };
  const patch = (id: string, body: object) => catalog.call<Shown>('PATCH', path(id), { body });
  const image = { url: 'https://images.example/tosca.jpg?w=1200', alt: 'Tosca on the rampart' };
  const details = { en: 'Sung in Italian.\n\nDoors open at seven.', fr: 'En italien.' };

  test('has an image of https, with a text in one language or several, and details by language', async () => {
    const made = (await createProduct(catalog, { image, details })).data as Shown;
    expect([made.image, made.details]).toEqual([image, details]);
    expect((await catalog.call<Shown>('GET', path(made.id))).data).toEqual(made);
    expect((await patch(made.id, made)).data).toEqual(made);
    const alt = { en: 'Tosca on the rampart', fr: 'Tosca sur le rempart' };
    expect((await patch(made.id, { image: { alt } })).data.image).toEqual({ url: image.url, alt });
    const listed = await catalog.call<{ items: Shown[] }>('GET', `/svc/v3/catalog/products?code=${made.code}`);
    expect(listed.data.items.map((one) => [one.image, one.details])).toEqual([[{ url: image.url, alt }, details]]);
    const gone = (await patch(made.id, { image: null, details: null })).data;
    expect([gone.image, gone.details]).toEqual([null, null]);
    expect(Date.parse(gone.updatedAt)).toBeGreaterThanOrEqual(Date.parse(made.updatedAt));
  });

  test('has none by default', async () => {
    const made = (await createProduct(catalog, {})).data as Shown;
    expect([made.image, made.details]).toEqual([null, null]);
    expect((await patch(made.id, { details: null })).data).toEqual(made);
  });

  test.each([
    [{ image: { ...image, url: 'http://images.example/tosca.jpg' } }, '$.image.url'],
    [{ image: { ...image, url: 'data:image/png;base64,AAAA' } }, '$.image.url'],
    [{ image: { url: image.url } }, '$.image.alt'],
    [{ image: { ...image, alt: '' } }, '$.image.alt'],
    [{ image: { ...image, width: 12 } }, '$.image.width'],
    [{ details: 'Sung in Italian' }, '$.details'],
    [{ details: { en: 'a'.repeat(8_001) } }, '$.details.en'],
  ])('is refused with another one: 400', async (more, where) => {
    const { status, body } = await createProduct(catalog, more as object);
    expect([status, body.details]).toEqual([400, expect.stringContaining(where)]);
  });

  test('of an earlier release has neither, which writing it back does not change', () => {
    const of03 = { code: 'P', type: 'show', name: {}, description: null, startDate: null, endDate: null } as const;
    const old = buildProduct(of03, 'running', '2026-01-01T00:00:00.000Z');
    const later = '2026-02-01T00:00:00.000Z';
    expect(applyProductChange(old, { ...of03, image: null, details: null }, 'running', later)).toBeUndefined();
    expect(applyProductChange(old, { ...of03, image, details }, 'running', later)).toMatchObject({
      image,
      revision: 2,
    });
  });
});
