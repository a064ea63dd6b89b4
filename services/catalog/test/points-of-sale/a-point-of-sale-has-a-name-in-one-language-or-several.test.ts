import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { newPointOfSale } from '../../src/points-of-sale/schemas.ts';
import { startCatalog } from '../fixture/service.ts';

const base = '/svc/v3/catalog/points-of-sale';

describe('the name of a point of sale', () => {
  const catalog = useFixture(() => startCatalog());

  const create = (name: unknown) =>
    catalog.call('POST', base, {
      body: { ...newPointOfSale, serviceHost: `${randomUUID()}.example`, name, tariffIds: [] },
    });

  test('is a text, or one by language, and can be written back', async () => {
    for (const name of ['Web shop', { fr: 'Billetterie', 'pt-BR': 'Bilheteria' }]) {
      const created = await create(name);
      expect([created.status, created.data.name]).toEqual([201, name]);
      const path = `${base}/${created.data.serviceHost}`;
      expect((await catalog.call('PATCH', path, { body: created.data })).data.name).toEqual(name);
      expect((await catalog.call('GET', path)).data.name).toEqual(name);
    }
  });

  test('is trimmed, and its languages are in their canonical form', async () => {
    expect((await create(' Kiosk ')).data.name).toBe('Kiosk');
    expect((await create({ deu: ' Kasse ' })).data.name).toEqual({ de: 'Kasse' });
  });

  test.each([
    [' ', '$.name must not be blank or contain control characters.'],
    [7, '$.name must be string or object.'],
    [null, '$.name must be string or object.'],
    [{}, '$.name must not be empty.'],
    [{ fr: '' }, '$.name.fr must not be blank or contain control characters.'],
    [{ french: 'Billetterie' }, '$.name.french must be a language tag (BCP 47), such as fr, pt-BR or zh-Hant.'],
    [{ de: 'Kasse', deu: 'Kasse' }, '$.name must not have a language twice.'],
    ['x'.repeat(201), '$.name must have at most 200 characters.'],
  ])('%j is refused: %s', async (name, details) => {
    const { status, body } = await create(name);
    expect([status, body.details]).toEqual([400, details]);
  });

  test('changes language by language, becomes a text and one by language again', async () => {
    const { data, headers } = await create({ fr: 'Billetterie', en: 'Box office' });
    const path = `${base}/${data.serviceHost}`;
    const rename = async (name: unknown, ifMatch?: string) => {
      const answer = await catalog.call('PATCH', path, {
        body: { name },
        headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
      });
      return [answer.status, answer.data?.name];
    };
    const etag = String(headers.get('etag'));
    const more = { fr: 'Billetterie', en: 'Box office', de: 'Kasse' };
    expect(await rename({ de: 'Kasse' }, etag)).toEqual([200, more]);
    expect(await rename({ de: 'Schalter' }, etag)).toEqual([412, undefined]);
    expect(await rename({ de: null, en: null })).toEqual([200, { fr: 'Billetterie' }]);
    expect(await rename({ fr: null })).toEqual([400, undefined]);
    expect(await rename('Kiosk')).toEqual([200, 'Kiosk']);
    expect(await rename({ de: 'Kasse' })).toEqual([200, { de: 'Kasse' }]);
    expect(await rename(null)).toEqual([400, undefined]);
  });

  test('is found in the order of the institution’s languages', async () => {
    const { data } = await create({ de: 'Kasse', en: 'Box office', fr: 'Billetterie' });
    const found = await catalog.call<{ name: object }>('GET', `/internal/points-of-sale/${data.serviceHost}`);
    expect(Object.keys(found.data.name)).toEqual(['fr', 'en', 'de']);
  });
});
