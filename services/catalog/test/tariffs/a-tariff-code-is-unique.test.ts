import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createTariff, type Page, startCatalog, type Tariff } from '../fixture/service.ts';

describe('tariffs', () => {
  const catalog = useFixture(() => startCatalog());

  const path = (id = '') => `/svc/v3/catalog/tariffs${id && `/${id}`}`;

  test('creation, reading and listing', async () => {
    const body = { code: 'MEMBER', name: { en: 'Member' }, criterion: 'member' };
    const created = await catalog.call<Tariff>('POST', path(), { body });
    expect([created.status, created.headers.get('location')]).toEqual([201, path(created.data.id)]);
    expect(created.data).toMatchObject({ ...body, id: expect.stringMatching(/^trf_/) });
    expect((await catalog.call('GET', path(created.data.id))).data).toEqual(created.data);
    const other = await createTariff(catalog);
    expect(other.criterion).toBeNull();
    const { data } = await catalog.call<Page<Tariff>>('GET', path());
    expect(data).toEqual({ items: [created.data, other], nextCursor: null, asOf: expect.any(String) });
  });

  test('a code is unique, for creations and changes, also concurrent ones', async () => {
    const body = { code: 'ONCE', name: { en: 'Once' } };
    const all = await Promise.all(Array.from({ length: 8 }, () => catalog.call('POST', path(), { body })));
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(all.find(({ status }) => status === 409)?.body.status).toBe('tariff_duplicate_code');
    const { id } = await createTariff(catalog);
    const moved = await catalog.call('PATCH', path(id), { body: { code: 'ONCE' } });
    expect([moved.status, moved.body.status]).toEqual([409, 'tariff_duplicate_code']);
  });

  test('a code is compared trimmed and in NFC, and stored so', async () => {
    const create = (code: string) =>
      catalog.call<Tariff>('POST', path(), { body: { code, name: { en: ' Student ' } } });
    const { data } = await create(' E\u0301TUDIANT\t');
    expect([data.code, data.name]).toEqual(['ÉTUDIANT', { en: 'Student' }]);
    for (const code of ['ÉTUDIANT', 'E\u0301TUDIANT', '\u00a0ÉTUDIANT '])
      expect((await create(code)).body.status).toBe('tariff_duplicate_code');
    for (const code of ['  ', '\u3164', 'A\u0000B']) expect((await create(code)).body.status).toBe('validation_error');
    const same = await catalog.call<Tariff>('PATCH', path(data.id), { body: { code: ' E\u0301TUDIANT' } });
    expect([same.status, same.data]).toEqual([200, data]);
  });

  test('PATCH merges; null removes a criterion; an unchanged one keeps its ETag', async () => {
    const tariff = await createTariff(catalog, { criterion: 'member' });
    const same = await catalog.call<Tariff>('PATCH', path(tariff.id), { body: tariff });
    expect([same.status, same.data]).toEqual([200, tariff]);
    const { data, headers } = await catalog.call<Tariff>('PATCH', path(tariff.id), { body: { criterion: null } });
    expect(data.criterion).toBeNull();
    const stale = { body: { name: { fr: 'x' } }, headers: { 'If-Match': same.headers.get('etag') ?? '' } };
    expect((await catalog.call('PATCH', path(tariff.id), stale)).status).toBe(412);
    const now = { ...stale, headers: { 'If-Match': headers.get('etag') ?? '' } };
    expect((await catalog.call('PATCH', path(tariff.id), now)).status).toBe(200);
    const wrong = await catalog.call('PATCH', path(tariff.id), { body: { criterion: 'student' } });
    expect([wrong.status, wrong.body.status]).toEqual([400, 'validation_error']);
  });
});
