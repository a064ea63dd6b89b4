import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { consentsOf, grantsOf, invitationsOf, sessionsOf } from '../../src/store.ts';
import { engines, type Installation, startInstallation } from '../installation.ts';
import { formOf, type People, type Person, peopleOf, proof } from '../sign-in/browser.ts';

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let people: People;
  let client: string;
  beforeAll(async () => {
    installation = await startInstallation({ engine });
    people = peopleOf(installation);
    client = await people.webClient({ thirdParty: true });
  });
  afterAll(() => installation.close());

  const scope = 'catalog:read offline_access';

  /** Agrees to the client, twice: one code is exchanged, the other waits. */
  const signedIn = async (person: Person) => {
    const browser = people.browser();
    const { verifier, challenge } = proof();
    const asked = { scope, code_challenge: challenge };
    const question = await people.signIn(browser, client, person, asked);
    const { sent } = await browser.post('/auth/authorize', { form: formOf(question), decision: 'allow' });
    const { body: tokens } = await people.exchange(client, sent.get('code'), verifier);
    const waiting = (await browser.visit(people.requestOf(client, asked))).sent.get('code');
    await people.users.invite('opera', person.userId);
    return { browser, tokens, waiting, verifier };
  };

  /** How much the store has of a user. */
  const left = async (userId: string) => {
    const { store } = installation;
    const counts = [grantsOf, sessionsOf, consentsOf].map((of) => of(store).of('opera').count({ userId }));
    const invitations = await invitationsOf(store).of('opera').find();
    return [...(await Promise.all(counts)), invitations.filter((one) => one.userId === userId).length];
  };

  test.each([
    ['its deletion', {}, ({ userId }: Person) => people.users.remove('opera', userId)],
    [
      'the erasure of its contact',
      { role: 'customer', contactNumber: 'C-1' },
      () => people.users.eraseContact('opera', 'C-1'),
    ],
  ])('sessions, grants, consents and invitation are gone after %s', async (_name, details, end) => {
    const [person, other] = [await people.person(details), await people.person()];
    const { browser, tokens, waiting, verifier } = await signedIn(person);
    const kept = await signedIn(other);
    expect(await left(person.userId)).toEqual([2, 1, 1, 1]);
    await end(person);
    expect(await left(person.userId)).toEqual([0, 0, 0, 0]);
    expect(await people.isValid(tokens.access_token)).toBe(false);
    for (const answer of [
      await people.refresh(client, tokens.refresh_token),
      await people.exchange(client, waiting, verifier),
    ])
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const silent = await browser.visit(people.requestOf(client, { prompt: 'none' }));
    expect(silent.sent.get('error')).toBe('login_required');

    expect(await left(other.userId)).toEqual([2, 1, 1, 1]);
    expect(await people.isValid(kept.tokens.access_token)).toBe(true);
    expect((await people.refresh(client, kept.tokens.refresh_token)).status).toBe(200);
  });

  test('a deletion that is refused signs nobody out', async () => {
    const only = await people.person({}, 'museum');
    const elsewhere = await people.webClient({ institution: 'museum' });
    const tokens = await people.tokens(elsewhere, only, 'catalog:read');
    await expect(people.users.remove('museum', only.userId)).rejects.toMatchObject({ code: 'user_last_admin' });
    expect(await people.isValid(tokens.access_token)).toBe(true);
  });

  test('the last admin stays signed in when its contact is erased', async () => {
    const only = await people.person({ contactNumber: 'C-2' }, 'theatre');
    const elsewhere = await people.webClient({ institution: 'theatre' });
    const tokens = await people.tokens(elsewhere, only, 'catalog:read');
    expect(await people.users.eraseContact('theatre', 'C-2')).toEqual([{ userId: only.userId, outcome: 'unlinked' }]);
    expect(await people.isValid(tokens.access_token)).toBe(true);
    await expect(people.users.remove('theatre', only.userId)).rejects.toMatchObject({ code: 'user_last_admin' });
  });
});
