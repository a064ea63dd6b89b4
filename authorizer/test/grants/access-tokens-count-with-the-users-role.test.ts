import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Installation, startInstallation } from '../installation.ts';
import { type People, type Person, peopleOf } from '../sign-in/browser.ts';

describe.each(engines)('an access token of a user, on $name,', (engine) => {
  let installation: Installation;
  let people: People;
  let client: string;
  let ada: Person;

  beforeAll(async () => {
    installation = await startInstallation({ engine, instances: 2, isBalanced: true });
    people = peopleOf(installation);
    client = await people.webClient();
    ada = await people.person();
  });
  afterAll(() => installation.close());

  test('counts with the role that the user has now', async () => {
    const person = await people.person({ role: 'manager' });
    const { access_token: token } = await people.tokens(client, person);
    expect((await installation.decide(String(token), 'orders:read')).status).toBe(200);
    await people.users.amend('opera', person.userId, { role: 'door' });
    expect((await installation.decide(String(token), 'orders:read')).status).toBe(403);
    expect((await installation.decide(String(token), 'catalog:read')).status).toBe(200);
  });

  test('gives userinfo by scope, and none without openid', async () => {
    const { access_token: token } = await people.tokens(client, ada, 'openid profile email');
    for (const method of ['GET', 'POST']) {
      expect(await people.userInfo(String(token), method)).toEqual({
        status: 200,
        body: { sub: ada.userId, name: 'Ada Lang', email: ada.login, email_verified: false },
      });
    }
    const { access_token: plain } = await people.tokens(client, ada, 'catalog:read');
    expect((await people.userInfo(String(plain))).status).toBe(403);
    const { access_token: only } = await people.tokens(client, ada, 'openid');
    expect((await people.userInfo(String(only))).body).toEqual({ sub: ada.userId });
  });
});
