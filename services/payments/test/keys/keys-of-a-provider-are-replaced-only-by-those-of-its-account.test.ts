// rule commerce.3: PUT of other keys reads the newest pending session | services/payments/src/keys/keys.ts
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createErrorResponse } from '../../src/simulator/api.ts';
import {
  createName,
  DAY_MS,
  describeOnEachEngine,
  type Fixture,
  MINUTE_MS,
  openFixture,
  WEBHOOK_SECRET,
} from '../fixture/fixture.ts';

const KEYS = { secretKey: 'sk_simulated_1', webhookSecret: WEBHOOK_SECRET };

describeOnEachEngine('keys', (fixture) => {
  test('are stored encrypted and never answered', async () => {
    const { data } = await fixture.setKeys({ ...KEYS, methods: ['card', 'twint'] });
    expect(data).toEqual({
      provider: 'stripe',
      mode: 'simulated',
      hasWebhookSecret: true,
      methods: ['card', 'twint'],
      webhookUrl: 'https://localhost:8443/svc/v3/payment-providers/stripe/webhooks/opera',
      state: 'active',
      updatedAt: expect.any(String),
    });
    expect((await fixture.getKeys()).data).toEqual(data);
    const stored = JSON.stringify(await fixture.context.providers.of('opera').find());
    for (const secret of Object.values(KEYS)) expect(stored).not.toContain(secret);
  });

  test('replace all of the record', async () => {
    const { data } = await fixture.setKeys({ secretKey: 'rk_simulated_2', state: 'paused' });
    expect(data).toMatchObject({ hasWebhookSecret: false, methods: ['card'], state: 'paused' });
    expect(fixture.world.providers.at(-1)).toEqual({ mode: 'simulated', state: 'paused' });
    await fixture.setKeys(KEYS);
  });

  test.each([
    ['a publishable key', { secretKey: 'pk_test_1' }],
    ['no key', {}],
    ['a method that is decided later', { secretKey: 'sk_simulated_1', methods: ['sepa_debit'] }],
    ['no method', { secretKey: 'sk_simulated_1', methods: [] }],
    ['a secret with a space', { secretKey: 'sk_simulated_1', webhookSecret: 'whsec_a b' }],
    ['a key with a space', { secretKey: 'sk_simulated_a b' }],
    ['nothing after its beginning', { secretKey: 'sk_simulated_' }],
  ])('are not taken with %s', async (_what, body) => {
    const { status } = await fixture.setKeys(body);
    expect([400, 422]).toContain(status);
  });

  test.each([
    ['sk_simulated_a-b', 'whsec_1'],
    ['rk_simulated_!a.b~C+/=9', 'any:secret.of-the_provider'],
  ])('%s may have any visible character after the mode, and so may the secret %s', async (secretKey, webhookSecret) => {
    const { status, data } = await fixture.setKeys({ secretKey, webhookSecret });
    expect([status, data.hasWebhookSecret]).toEqual([200, true]);
    expect((await fixture.open()).outcome).toBe('opened');
    expect((await fixture.setKeys(KEYS)).status).toBe(200);
  });

  test('are written back as they were read, with the keys; what is read only and differs is 422, another version 412', async () => {
    const read = await fixture.getKeys();
    const etag = String(read.etag);
    fixture.clock.now += 1_000;
    expect((await fixture.setKeys({ ...read.data, ...KEYS }, undefined, { 'if-match': etag })).status).toBe(200);
    for (const other of [{ mode: 'live' }, { provider: 'other' }, { webhookUrl: 'https://other.example/' }])
      expect((await fixture.setKeys({ ...KEYS, ...other })).status).toBe(422);
    expect((await fixture.setKeys(KEYS, undefined, { 'if-match': etag })).status).toBe(412);
    const now = await fixture.getKeys();
    expect(now.etag).not.toBe(etag);
    expect((await fixture.setKeys(KEYS, undefined, { 'if-match': String(now.etag) })).etag).toBe(
      (await fixture.getKeys()).etag,
    );
  });

  test('that the provider refuses are 422; without its answer it is 503, and nothing is stored', async () => {
    const before = (await fixture.getKeys()).data;
    fixture.provider.disturb = async () => createErrorResponse(401, 'Invalid API Key provided.');
    expect((await fixture.setKeys({ secretKey: 'sk_simulated_3' })).status).toBe(422);
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    expect((await fixture.setKeys({ secretKey: 'sk_simulated_3' })).status).toBe(503);
    fixture.provider.disturb = async () => createErrorResponse(500, 'No.');
    expect((await fixture.setKeys({ secretKey: 'sk_simulated_3' })).status).toBe(503);
    fixture.heal();
    expect((await fixture.getKeys()).data).toEqual(before);
  });

  test.each(['/v1/checkout/sessions', '/v1/refunds', '/v1/disputes'])(
    'that are restricted and may not read %s are 422, which says what is needed',
    async (path) => {
      fixture.provider.disturb = async (request, execute) =>
        request.path === path ? createErrorResponse(403, 'The provided key does not have the permissions.') : execute();
      const { status, details } = await fixture.setKeys({ secretKey: 'rk_simulated_3' });
      expect(status).toBe(422);
      expect(details).toMatch(/\(list(?:Pages|Refunds|Disputes)\): a restricted key needs/);
      fixture.heal();
    },
  );

  test('may pause while the provider is away: they are the same', async () => {
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    expect((await fixture.setKeys({ ...KEYS, state: 'paused' })).status).toBe(200);
    expect((await fixture.setKeys(KEYS)).status).toBe(200);
    fixture.heal();
  });

  test('that are paused open no page, and what is pending goes on', async () => {
    const page = await fixture.page();
    await fixture.setKeys({ ...KEYS, state: 'paused' });
    expect((await fixture.open()).outcome).toBe('unavailable');
    await fixture.send(page, { outcome: 'pay' });
    await fixture.later();
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
    await fixture.setKeys(KEYS);
  });

  test('are announced again where the catalog did not answer', async () => {
    fixture.catalog.mishaps.set('recordPaymentProvider', 'fails');
    expect((await fixture.setKeys({ ...KEYS, state: 'paused' })).status).toBe(200);
    fixture.catalog.mishaps.clear();
    const before = fixture.world.providers.length;
    await fixture.later(60_000);
    expect(fixture.world.providers.slice(before)).toEqual([{ mode: 'simulated', state: 'paused' }]);
    await fixture.setKeys(KEYS);
  });

  test('of another provider do not exist', async () => {
    expect((await fixture.getKeys('paywave')).status).toBe(404);
  });
});

describeOnEachEngine('while something is pending, keys', (fixture) => {
  test('of another account or mode are refused, and so is their deletion', async () => {
    const page = await fixture.page();
    expect((await fixture.setKeys({ secretKey: 'sk_test_1' })).code).toBe('payment_provider_in_use');
    fixture.provider.disturb = async () => createErrorResponse(404, 'No such session.', { code: 'resource_missing' });
    expect((await fixture.setKeys({ secretKey: 'sk_simulated_other' })).code).toBe('payment_provider_in_use');
    fixture.heal();
    expect((await fixture.setKeys({ ...KEYS, secretKey: 'rk_simulated_same' })).status).toBe(200);
    expect((await fixture.deleteKeys()).code).toBe('payment_provider_in_use');
    await fixture.send(page, { outcome: 'pay', refunds: 'pending' });
    await fixture.later();
    await fixture.requestRefund(page, 100);
    await fixture.later();
    expect((await fixture.deleteKeys()).code).toBe('payment_provider_in_use');
    await fixture.send(page, { outcome: 'refund_done' });
    await fixture.later();
    const { status, data } = await fixture.deleteKeys();
    const none = {
      ...{ provider: 'stripe', mode: null, hasWebhookSecret: false, methods: [], state: null, updatedAt: null },
      webhookUrl: 'https://localhost:8443/svc/v3/payment-providers/stripe/webhooks/opera',
    };
    expect([status, data]).toEqual([200, none]);
    expect((await fixture.getKeys()).data).toEqual(none);
    expect(fixture.world.providers.at(-1)).toEqual({ mode: null, state: null });
    expect((await fixture.open()).outcome).toBe('unavailable');
  });
});

describeOnEachEngine('while a page is being opened, keys', (fixture) => {
  /** A page whose request has arrived at the provider, which answers when it is let go. */
  const openSlowly = async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    fixture.provider.disturb = async (request, execute) => {
      if (request.method !== 'POST') return execute();
      arrive();
      await answered;
      return execute();
    };
    const opening = fixture.open();
    await arrived;
    return {
      letGo() {
        answer();
        return opening;
      },
    };
  };

  test('of others are refused, and so is their deletion; the same ones are taken', async () => {
    const { letGo } = await openSlowly();
    expect((await fixture.setKeys({ secretKey: 'sk_simulated_other' })).code).toBe('payment_provider_in_use');
    expect((await fixture.deleteKeys()).code).toBe('payment_provider_in_use');
    const { webhookSecret, secretKey } = KEYS;
    expect((await fixture.setKeys({ secretKey, webhookSecret, methods: ['card', 'link'] })).status).toBe(200);
    expect((await letGo()).outcome).toBe('opened');
    fixture.heal();
  });

  test('that are replaced all the same make it no page: its money could not be seen', async () => {
    const { letGo } = await openSlowly();
    await fixture.replaceKeys('simulated', 'sk_simulated_other');
    expect(await letGo()).toEqual({ outcome: 'unavailable', page: null });
    fixture.heal();
    await fixture.replaceKeys('simulated', KEYS.secretKey);
  });

  test('are free again once nobody waits for an answer', async () => {
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    const page = await fixture.context.payments.of('opera').find({ where: { state: 'pending' } });
    for (const { id } of page) await fixture.closePage(id);
    fixture.heal();
    for (const { id } of page) await fixture.closePage(id);
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    const asked = { orderId: createName('ord'), requestId: createName('req') };
    expect((await fixture.open(asked)).outcome).toBe('unavailable');
    fixture.heal();
    expect((await fixture.setKeys({ ...KEYS, secretKey: 'rk_simulated_same' })).code).toBe('payment_provider_in_use');
    fixture.clock.now += 2 * MINUTE_MS;
    expect((await fixture.setKeys({ ...KEYS, secretKey: 'rk_simulated_same' })).status).toBe(200);
    expect((await fixture.open(asked)).outcome).toBe('opened');
  });
});

describeOnEachEngine('after keys of another account', (fixture) => {
  const requestRefund = async (paymentId: string): Promise<string> => {
    const refundId = await fixture.requestRefund({ paymentId }, 100);
    await fixture.later();
    return refundId;
  };
  const missing = async () => createErrorResponse(404, 'No such object.', { code: 'resource_missing' });

  test('a refund of the former one has failed, and blocks no keys', async () => {
    const { paymentId } = await fixture.paid();
    fixture.provider.disturb = (request, execute) => (request.path === '/v1/refunds' ? missing() : execute());
    expect(fixture.refundStatesOf(await requestRefund(paymentId))).toEqual(['failed']);
    fixture.heal();
    await fixture.replaceKeys('test', 'sk_test_of_another_mode');
    expect(fixture.refundStatesOf(await requestRefund(paymentId))).toEqual(['failed']);
    expect(fixture.countLogged('a refund cannot be made')).toBe(2);
    expect((await fixture.deleteKeys()).status).toBe(200);
    expect(fixture.refundStatesOf(await requestRefund(paymentId))).toEqual(['failed']);
    expect((await fixture.setKeys(KEYS)).status).toBe(200);
  });

  test.each([
    [
      'not known',
      async () => {
        fixture.provider.disturb = missing;
      },
    ],
    ['of another mode', () => fixture.replaceKeys('live', 'sk_live_1')],
    ['without keys', () => fixture.deleteKeys()],
  ])('what is over and %s is not asked for any more', async (_what, replace) => {
    const { paymentId } = await fixture.paid();
    const refundId = await requestRefund(paymentId);
    const countDue = async () =>
      [await fixture.payment(paymentId), await fixture.refund(refundId)].filter((one) => one?.due !== undefined).length;
    expect(await countDue()).toBe(2);
    await replace();
    const before = fixture.logged.length;
    await fixture.later(2 * DAY_MS);
    expect(await countDue()).toBe(0);
    expect(fixture.logged.slice(before).map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('account without keys here')]),
    );
    fixture.heal();
    await fixture.setKeys(KEYS);
    await fixture.replaceKeys('simulated', KEYS.secretKey);
  });
});

describeOnEachEngine('while the provider refuses the keys', (fixture) => {
  test('what is over is asked for hourly, until it takes them again', async () => {
    const page = await fixture.paid();
    let asked = 0;
    fixture.provider.disturb = async () => {
      asked += 1;
      return createErrorResponse(401, 'Expired API Key provided.');
    };
    await fixture.send(page, { outcome: 'dispute' });
    await fixture.later(2 * DAY_MS);
    asked = 0;
    await fixture.later(50 * MINUTE_MS);
    expect(asked).toBe(0);
    await fixture.later(11 * MINUTE_MS);
    expect(asked).toBe(1);
    fixture.heal();
    await fixture.later(61 * MINUTE_MS);
    expect(fixture.world.disputes.get(page.paymentId)).toHaveLength(1);
  });
});

describeOnEachEngine('keys of the simulator, once it is off,', (fixture) => {
  test('open no page, and its pages do not exist', async () => {
    const page = await fixture.page();
    const { context } = fixture;
    const { maySimulate } = context;
    context.maySimulate = () => false;
    expect((await fixture.open()).outcome).toBe('unavailable');
    expect(await fixture.send(page, { outcome: 'pay' })).toBe(404);
    // Nobody sets them any more, but who has them may pause.
    expect((await fixture.setKeys(KEYS)).status).toBe(422);
    expect((await fixture.setKeys({ secretKey: 'sk_simulated_x', state: 'paused' })).status).toBe(422);
    expect((await fixture.setKeys({ ...KEYS, state: 'paused' })).data.state).toBe('paused');
    context.maySimulate = maySimulate;
    await fixture.setKeys(KEYS);
    expect(await fixture.send(page, { outcome: 'pay' })).toBe(303);
  });
});

let without: Fixture;
beforeAll(async () => {
  without = await openFixture(undefined, { paymentSimulator: false });
});
afterAll(() => without.close());

test('of the simulator are 422 where PAYMENT_SIMULATOR is off, and before there are keys the record is empty', async () => {
  expect((await without.setKeys(KEYS)).status).toBe(422);
  expect((await without.getKeys()).data).toMatchObject({ mode: null, methods: [], state: null, updatedAt: null });
  expect((await without.deleteKeys()).status).toBe(200);
});
