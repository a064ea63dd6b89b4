import { MOST_ANSWERS_PER_SESSION } from '@boxoffice/http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';

describe.each(engines)('on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture({ engine });
  });
  afterAll(() => fixture.close());

  test('a session has so many remembered answers, the newest ones; another session keeps its own', async () => {
    const one = await fixture.logIn(await fixture.user());
    const other = await fixture.logIn(await fixture.user());
    // A wrong body is refused at once, and the refusal remembered.
    const isReplayed = async (token: string, key: number) => {
      const headers = { 'idempotency-key': `key ${key}` };
      const { headers: answered } = await fixture.call('POST', '/shopping-cart/items', { token, body: {}, headers });
      return answered.get('idempotency-replayed') === 'true';
    };
    await isReplayed(other, 0);
    expect(await isReplayed(one, 0)).toBe(false);
    const begun = Date.now();
    // Answers of one millisecond are equally old.
    await until(() => Date.now() > begun);
    for (let key = 1; key <= MOST_ANSWERS_PER_SESSION; key += 50) {
      const keys = Array.from({ length: 50 }, (_, index) => key + index);
      expect(await Promise.all(keys.map((next) => isReplayed(one, next)))).not.toContain(true);
    }
    expect(await isReplayed(one, MOST_ANSWERS_PER_SESSION)).toBe(true);
    expect(await isReplayed(one, 1)).toBe(true);
    expect(await isReplayed(other, 0)).toBe(true);
    expect(await isReplayed(one, 0)).toBe(false);
  }, 120_000);
});
