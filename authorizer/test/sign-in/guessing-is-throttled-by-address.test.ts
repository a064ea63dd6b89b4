import { expect, test } from '@jest/globals';
import { engines, startInstallation } from '../installation.ts';
import { formOf, PASSWORD, peopleOf } from './browser.ts';

test.each(engines)('guessing over many logins is throttled by address, per institution, on $name', async (engine) => {
  const installation = await startInstallation({ engine, loginFailuresPerAddress: 5 });
  const people = peopleOf(installation);
  const [client, museum] = [await people.webClient(), await people.webClient({ institution: 'museum' })];
  const ada = await people.person();
  const attempt = async (at: string, login: string, address: string) => {
    const browser = people.browser();
    const form = formOf(await browser.visit(people.requestOf(at)));
    const fields = { form, login, password: PASSWORD };
    return (await browser.post('/auth/authorize', fields, { 'x-forwarded-for': address })).status;
  };
  for (let count = 0; count < 5; count += 1)
    expect(await attempt(client, `nobody-${count}@example.org`, '192.0.2.3')).toBe(403);
  expect(await attempt(client, ada.login, '192.0.2.3')).toBe(429);
  expect(await attempt(client, ada.login, '192.0.2.4')).toBe(303);
  expect(await attempt(museum, ada.login, '192.0.2.3')).toBe(403);
  await installation.close();
});
