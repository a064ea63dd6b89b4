import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { ProviderReport } from '../../src/points-of-sale/providers.ts';
import { addInstitution, addPointOfSale, describeOnEachEngine } from '../fixture/service.ts';

describeOnEachEngine('a payment provider', (catalog) => {
  const base = '/svc/v3/catalog/points-of-sale';
  const body = (paymentMethods: string[]) => ({
    serviceHost: `${randomUUID()}.example`,
    ...{ name: 'Web shop', languages: ['fr', 'en'], currency: 'CHF', tariffIds: [] },
    ...{ paymentMethods, maxPlacesPerOrder: 8, holdMinutes: 15 },
  });
  /** As payments reports it. */
  const report = async (institution: string, body: ProviderReport) => {
    const how = { body, institution, service: 'payments' };
    const { status, data } = await catalog.call('PUT', '/internal/payment-providers/stripe', how);
    expect(status).toBe(200);
    return data;
  };
  const live = { mode: 'live', state: 'active' } as const;
  const none = { mode: null, state: null } as const;

  /** What pos learns of it. */
  const find = async (host: string) =>
    (await catalog.call('GET', `/internal/points-of-sale/${host}`, { service: 'pos' })).data;

  test('is refused without keys, of this institution, and accepted with them', async () => {
    const [institution, other] = [await addInstitution(catalog.store), await addInstitution(catalog.store)];
    await report(other, live);
    const refused = await catalog.call('POST', base, { body: body(['external', 'stripe']), institution });
    expect([refused.status, refused.body.details]).toEqual([422, expect.stringContaining('$.paymentMethods[1]')]);
    const host = await addPointOfSale(catalog, {}, { institution });
    const add = { body: { paymentMethods: ['stripe'] }, institution };
    expect((await catalog.call('PATCH', `${base}/${host}`, add)).status).toBe(422);
    await report(institution, { mode: 'test', state: 'paused' });
    const added = await catalog.call('PATCH', `${base}/${host}`, add);
    expect([added.status, added.data.paymentMethods]).toEqual([200, ['stripe']]);
    expect((await catalog.call('POST', base, { body: body(['stripe']), institution })).status).toBe(201);
  });

  test('is offered while there are keys, with their mode and state; a point of sale can be written back without', async () => {
    const institution = await addInstitution(catalog.store);
    await report(institution, live);
    const { data } = await catalog.call('POST', base, { body: body(['external', 'stripe']), institution });
    const host = String(data.serviceHost);
    const offered = async () => {
      const { paymentMethods, providers } = await find(host);
      return [paymentMethods, providers];
    };
    expect(await offered()).toEqual([['external', 'stripe'], [{ provider: 'stripe', ...live }]]);
    await report(institution, { mode: 'simulated', state: 'paused' });
    expect(await offered()).toEqual([
      ['external', 'stripe'],
      [{ provider: 'stripe', mode: 'simulated', state: 'paused' }],
    ]);
    await report(institution, none);
    expect(await offered()).toEqual([['external'], []]);
    const back = await catalog.call('PATCH', `${base}/${host}`, { body: data, institution });
    expect([back.status, back.data.paymentMethods]).toEqual([200, ['external', 'stripe']]);
    const change = async (paymentMethods: string[]) =>
      (await catalog.call('PATCH', `${base}/${host}`, { body: { paymentMethods }, institution })).status;
    expect([await change(['stripe']), await change(['on_account', 'external', 'stripe'])]).toEqual([422, 422]);
    expect([await change(['external', 'stripe']), await change(['external'])]).toEqual([200, 200]);
    expect(await change(['external', 'stripe'])).toBe(422);
  });

  test('stays as the newest report says, in whatever order reports come, also at the same time', async () => {
    const institution = await addInstitution(catalog.store);
    const [first, second] = ['2027-03-01T12:00:00.000Z', '2027-03-01T12:00:01.000Z'];
    await Promise.all([
      report(institution, { ...none, changedAt: second }),
      report(institution, { ...live, changedAt: first }),
    ]);
    await report(institution, { ...live, changedAt: first });
    expect((await catalog.call('POST', base, { body: body(['stripe']), institution })).status).toBe(422);
  });
});
