import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

type Said = Readonly<Record<string, unknown>>;

test('a product has its image and its details in the wanted language under vexp, and neither in v1', async () => {
  const institution = `i${Math.random().toString(36).slice(2)}`;
  const { serviceHost: host } = fixture.catalog.pointOfSale({ institution });
  const url = 'https://images.example/play.jpg';
  const { product } = fixture.catalog.show({
    institution,
    ...{ image: { url, alt: { fr: 'La pièce', en: 'The play' } }, details: { fr: 'Un.\n\nDeux.', en: 'One.\n\nTwo.' } },
  });
  const plain = fixture.catalog.show({ institution, image: { url, alt: 'PLAY' } });
  const get = async (path: string, version: 'v1' | 'vexp') =>
    (await fixture.call<Said>('GET', `${path}lang=en`, { host, version })).data;
  const [wanted, inAll] = [
    { image: { url, alt: 'The play' }, details: 'One.\n\nTwo.' },
    { image: { url, alt: 'PLAY' }, details: null },
  ];
  expect(await get('/products?', 'vexp')).toMatchObject({ [product.id]: wanted, [plain.product.id]: inAll });
  expect(await get(`/products/${product.id}?`, 'vexp')).toMatchObject(wanted);
  // The programme is long: its cards say no details.
  const { products } = (await get('/programme?', 'vexp')) as { readonly products: Record<string, Said> };
  expect([products[product.id]?.image, products[product.id]]).toEqual([
    wanted.image,
    expect.not.objectContaining({ details: expect.anything() }),
  ]);
  for (const path of ['/products?', `/products/${product.id}?`]) {
    const said = await get(path, 'v1');
    const one = (said[product.id] ?? said) as Said;
    expect([one.name, 'image' in one, 'details' in one]).toEqual(['Play', false, false]);
  }
});
