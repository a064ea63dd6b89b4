import { randomUUID } from 'node:crypto';
import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { onInstitutionChanged } from '../../src/reactions/institution-changed.ts';
import { createInstitutions, type Institutions } from '../../src/sign-in/institutions.ts';
import { type Installation, startInstallation, until } from '../installation.ts';
import { engines, notExercised } from '../usage/engines.ts';
import { CALLBACK, peopleOf } from './browser.ts';

const message = (institution: string, data: object, version = 1): Message => ({
  id: randomUUID(),
  type: 'institution.changed',
  key: institution,
  version,
  institution,
  occurredAt: '2027-01-03T18:13:20.000Z',
  data,
});

const LAKE = { name: 'Opéra du Lac', languages: ['de', 'fr'] };
const HARBOUR = { name: 'Opéra du Port', languages: ['fr'] };

describe.each(engines)(`what is known of institutions on $name${notExercised}`, (engine) => {
  let store: Store;
  let institutions: Institutions;
  let discard: () => Promise<void>;
  beforeAll(async () => {
    ({ store, discard } = await engine.open());
    institutions = createInstitutions(store);
  });
  afterAll(() => discard());

  const changed = (institution: string, data: object, version: number) =>
    onInstitutionChanged(institutions, message(institution, data, version));

  test('comes from the catalog; twice and out of order, the newest version counts', async () => {
    const id = `i${randomUUID()}`;
    await changed(id, LAKE, 2);
    await changed(id, LAKE, 2);
    expect(await institutions.profile(id)).toEqual(LAKE);
    await changed(id, HARBOUR, 5);
    await changed(id, LAKE, 2);
    expect(await institutions.profile(id)).toEqual(HARBOUR);
  });

  test('is the newest version after events at the same time, for every instance', async () => {
    const id = `i${randomUUID()}`;
    const versions = Array.from({ length: 10 }, (_, index) => index + 1);
    const instances = [institutions, createInstitutions(store)];
    await Promise.all(
      versions.map((version) =>
        instances[version % 2]?.record(id, { name: `version ${version}`, languages: ['fr'] }, version),
      ),
    );
    for (const one of instances) expect((await one.profile(id)).name).toBe('version 10');
  });

  test('is the id and every language until the catalog has announced the institution', async () => {
    const id = `i${randomUUID()}`;
    expect(await institutions.profile(id)).toEqual({ name: id, languages: ['en', 'fr', 'de'] });
  });

  test.each([{}, { name: 'Opera' }, { languages: ['fr'] }, { name: 'Opera', languages: 'fr' }])(
    'an event without name and languages is unreadable: %j',
    async (data) => {
      await expect(changed('opera', data, 1)).rejects.toThrow('institution.changed needs name and languages');
    },
  );
});

describe('the pages', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation.close());

  test('name the institution and the client, in the languages of the institution', async () => {
    const people = peopleOf(installation);
    const clientId = await people.webClient();
    const open = (acceptLanguage: string) =>
      people.browser().visit(people.requestOf(clientId), { headers: { 'accept-language': acceptLanguage } });
    expect((await open('en')).text).toContain('<p class="institution">opera</p>');

    await installation.engines.bus.publish(message('opera', LAKE));
    await until(async () => (await open('en')).text.includes('<p class="institution">Opéra du Lac</p>'), 10_000);
    const [inFrench, inEnglish] = [await open('fr'), await open('en')];
    expect(inFrench.text).toContain('<html lang="fr">');
    expect(inEnglish.text).toContain('<html lang="de">');
    expect(inFrench.headers.get('content-security-policy')).toContain(new URL(CALLBACK).origin);

    expect(inFrench.text).toContain('<strong>Shop</strong>');
    expect(inFrench.text).not.toContain('>opera<');

    const registration = { name: 'Ada Lang', role: 'manager', contactNumber: null, pointsOfSale: [] } as const;
    const login = `${randomUUID()}@example.org`;
    const { invitation } = await people.users.create('opera', { login, ...registration });
    const invited = await people.browser().visit(invitation.url.slice(installation.issuer.length));
    expect(invited.text).toContain('<strong>Opéra du Lac</strong>');
  });
});
