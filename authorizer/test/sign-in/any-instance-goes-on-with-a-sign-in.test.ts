import { startSweeper } from '@boxoffice/service';
import type { Collection, Document } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { REFRESH_IDLE_MS } from '../../src/domain/grant.ts';
import { SESSION_ABSOLUTE_MS } from '../../src/domain/session.ts';
import { retention } from '../../src/retention.ts';
import { collections } from '../../src/store.ts';
import { engines, type Installation, type Json, startInstallation, waysTo } from '../installation.ts';
import { type Browser, CALLBACK, formOf, openBrowser, PASSWORD, type People, peopleOf, proof } from './browser.ts';

const SESSION = '__Host-boxoffice-session';

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let people: People;

  beforeAll(async () => {
    installation = await startInstallation({ engine, instances: 3, isBalanced: true });
    people = peopleOf(installation);
  });
  afterAll(() => installation.close());

  /** Ways to call one instance. */
  type Instance = ReturnType<typeof waysTo> & { readonly browser: Browser };

  /** The three instances, called by one browser. */
  const instances = (): [Instance, Instance, Instance] => {
    const { cookies } = people.browser();
    const instance = (position: number): Instance => {
      const { url } = installation.services[position] ?? installation;
      const browser = openBrowser(url, new URL(installation.issuer).origin, cookies);
      return { browser, ...waysTo(url, installation.store) };
    };
    return [instance(0), instance(1), instance(2)];
  };

  test('each step of a sign-in may reach another instance', async () => {
    const [a, b, c] = instances();
    const ada = await people.person();
    const client = await people.webClient({ thirdParty: true });
    const { verifier, challenge } = proof();
    const scope = 'openid offline_access catalog:read';
    const page = await a.browser.visit(people.requestOf(client, { code_challenge: challenge, scope }));
    const question = await b.browser.post('/auth/authorize', {
      form: formOf(page),
      login: ada.login,
      password: PASSWORD,
    });
    expect(question.status).toBe(200);
    const { sent } = await c.browser.post('/auth/authorize', { form: formOf(question), decision: 'allow' });
    const exchanged = await a.post('/auth/token', {
      grant_type: 'authorization_code',
      client_id: client,
      code: sent.get('code') ?? '',
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    });
    expect(exchanged.status).toBe(200);
    const refresh = (at: Instance, token: unknown) =>
      at.post('/auth/token', { grant_type: 'refresh_token', client_id: client, refresh_token: String(token) });
    const next = await refresh(b, exchanged.body.refresh_token);
    expect((await refresh(c, exchanged.body.refresh_token)).body.refresh_token).toBe(next.body.refresh_token);
    expect((await c.decide(String(next.body.access_token), 'catalog:read')).status).toBe(200);
    expect((await b.browser.visit(people.requestOf(client, { scope, prompt: 'none' }))).sent.has('code')).toBe(true);
    await a.post('/auth/revoke', { client_id: client, token: String(next.body.refresh_token) });
    expect((await b.decide(String(next.body.access_token), 'catalog:read')).status).toBe(401);
    expect((await refresh(c, next.body.refresh_token)).body.error).toBe('invalid_grant');
    const signedOut = await c.browser.visit(`/auth/logout?id_token_hint=${exchanged.body.id_token}`);
    expect(signedOut.status).toBe(200);
    expect((await a.browser.visit(people.requestOf(client, { prompt: 'none' }))).sent.get('error')).toBe(
      'login_required',
    );
  });

  test('a form that is sent to all instances at once has success once', async () => {
    const ada = await people.person();
    const all = instances();
    const page = await all[0].browser.visit(people.requestOf(await people.webClient()));
    const fields = { form: formOf(page), login: ada.login, password: PASSWORD };
    const answers = await Promise.all(all.map(({ browser }) => browser.post('/auth/authorize', fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
  });

  test('wrong passwords count over all instances', async () => {
    const client = await people.webClient();
    const { login } = await people.person();
    for (let count = 0; count < 10; count += 1)
      expect((await people.signIn(people.browser(), client, { login }, {}, 'wrong')).status).toBe(403);
    for (const { browser } of instances()) {
      const page = await browser.visit(people.requestOf(client));
      const { status } = await browser.post('/auth/authorize', { form: formOf(page), login, password: PASSWORD });
      expect(status).toBe(429);
    }
  });

  test('a restart of every instance ends no session, code, form, consent, refresh chain or invitation', async () => {
    const ada = await people.person();
    const client = await people.webClient({ thirdParty: true });
    const scope = 'catalog:read offline_access';
    const browser = people.browser();
    const question = await people.signIn(browser, client, ada, { scope });
    const { verifier, challenge } = proof();
    await browser.post('/auth/authorize', { form: formOf(question), decision: 'allow' });
    const code = async () =>
      (await browser.visit(people.requestOf(client, { scope, code_challenge: challenge }))).sent.get('code');
    const [used, kept] = [await code(), await code()];
    const tokens = (await people.exchange(client, used, verifier)).body;
    const waiting = people.browser();
    const page = await waiting.visit(people.requestOf(client, { scope }));
    const invited = await people.users.create('opera', {
      login: `late-${ada.login}`,
      name: 'Bo',
      role: 'door',
      contactNumber: null,
      pointsOfSale: [],
    });

    await installation.restart();

    expect(await people.isValid(tokens.access_token)).toBe(true);
    const refreshed = await people.refresh(client, tokens.refresh_token);
    expect(refreshed.status).toBe(200);
    expect((await people.exchange(client, kept, verifier)).status).toBe(200);
    expect((await browser.visit(people.requestOf(client, { scope, prompt: 'none' }))).sent.has('code')).toBe(true);
    const fields = { form: formOf(page), login: ada.login, password: PASSWORD };
    expect((await waiting.post('/auth/authorize', fields)).status).toBe(303);
    const path = invited.invitation.url.slice(installation.issuer.length);
    expect((await people.browser().visit(path)).status).toBe(200);

    await installation.restart();

    // What was used stays used.
    expect((await waiting.post('/auth/authorize', fields)).status).toBe(409);
    expect((await people.exchange(client, used, verifier)).body.error).toBe('invalid_grant');
    expect(await people.isValid(tokens.access_token)).toBe(false);
    expect((await people.refresh(client, refreshed.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  /** Every document of every collection. */
  const stored = async (): Promise<Record<string, Json[]>> => {
    const all: Record<string, Json[]> = {};
    for (const collection of collections as readonly Collection<Document>[])
      all[collection.name] = (await installation.store
        .collection(collection)
        .acrossInstitutions.find()) as unknown as Json[];
    return all;
  };

  test('nothing that opens anything is stored as it is, and all of it is swept when its time is over', async () => {
    const ada = await people.person();
    const client = await people.webClient();
    const browser = people.browser();
    const page = await browser.visit(people.requestOf(client));
    const { verifier, challenge } = proof();
    const { sent } = await people.signIn(browser, client, ada, {
      scope: 'catalog:read offline_access',
      code_challenge: challenge,
    });
    const { body } = await people.exchange(client, sent.get('code'), verifier);
    const { body: next } = await people.refresh(client, body.refresh_token);
    const { invitation } = await people.users.invite('opera', ada.userId);
    await people.signIn(people.browser(), client, ada, {}, 'wrong');
    const secrets = [
      sent.get('code'),
      verifier,
      body.refresh_token,
      next.refresh_token,
      // The secret part of a refresh token, without the id of its grant.
      ...[body.refresh_token, next.refresh_token].map((token) => String(token).slice(43, 86)),
      body.access_token,
      ...browser.cookies.values(),
      formOf(page),
      new URL(invitation.url).searchParams.get('token'),
      PASSWORD,
    ].map(String);
    const all = await stored();
    const text = JSON.stringify(all);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(browser.cookies.has(SESSION)).toBe(true);

    const ending = ['grants', 'sessions', 'sent_forms', 'invitations', 'login_attempts'];
    for (const name of ending) expect([name, all[name]?.length]).not.toEqual([name, 0]);
    const later = Date.now() + Math.max(REFRESH_IDLE_MS, SESSION_ABSOLUTE_MS) + 120_000;
    const sweeper = startSweeper({
      // The instances sweep, too, by the clock, and hold the lease meanwhile.
      store: { ...installation.store, lease: async () => true },
      collections,
      retention,
      logger: { warn: () => undefined },
      now: () => later,
    });
    await sweeper.sweep();
    await sweeper.close();
    const left = await stored();
    for (const name of ending) expect([name, left[name]]).toEqual([name, []]);
  });
});
