import { MOST_ANSWERS_PER_SESSION } from '@boxoffice/http';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { engines, openFixture, until } from '../fixture/fixture.ts';

describe.each(engines)('idempotency records of sessions, on $name', (engine) => {
  const fixture = useFixture(() => openFixture({ engine }));

  test('each session has a limited number of idempotency records, the newest ones', async () => {
    const one = await fixture.logIn(await fixture.user());
    const other = await fixture.logIn(await fixture.user());
    // An invalid body is refused at once, and the refusal is recorded.
    const isReplayed = async (token: string, key: number) => {
      const headers = { 'idempotency-key': `key ${key}` };
      const { headers: answered } = await fixture.call('POST', '/shopping-cart/items', { token, body: {}, headers });
      return answered.get('idempotency-replayed') === 'true';
    };
    await isReplayed(other, 0);
    expect(await isReplayed(one, 0)).toBe(false);
    const startedAt = Date.now();
    // Records of the same millisecond have the same age.
    await until(() => Date.now() > startedAt);
    for (let key = 1; key <= MOST_ANSWERS_PER_SESSION; key += 50) {
      const keys = Array.from({ length: 50 }, (_, index) => key + index);
      expect(await Promise.all(keys.map((next) => isReplayed(one, next)))).not.toContain(true);
    }
    expect(await isReplayed(one, MOST_ANSWERS_PER_SESSION)).toBe(true);
    expect(await isReplayed(one, 1)).toBe(true);
    expect(await isReplayed(other, 0)).toBe(true);
    expect(await isReplayed(one, 0)).toBe(false);
  });
});
