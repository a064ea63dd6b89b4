import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { type Installation, startInstallation } from '../installation.ts';
import { type Browser, CALLBACK, formOf, PASSWORD, type People, type Person, peopleOf } from '../sign-in/browser.ts';

let installation: Installation;
let people: People;
let ada: Person;
let publicId: string;
let confidential: { clientId: string; clientSecret: string };

beforeAll(async () => {
  installation = await startInstallation();
  people = peopleOf(installation);
  ada = await people.person();
  publicId = await people.webClient();
  confidential = await people.confidentialClient();
});
afterAll(() => installation.close());

const SCOPE = 'openid profile email offline_access catalog:read';

/** What the browser does: opens the address, signs in, and returns to the client. */
const signIn = async (address: URL, browser: Browser = people.browser()): Promise<URL> => {
  const page = await browser.visit(`${address.pathname}${address.search}`);
  const fields = { form: formOf(page), login: ada.login, password: PASSWORD };
  const { headers } = await browser.post('/auth/authorize', fields);
  return new URL(headers.get('location') ?? '');
};

describe.each(['oidc', 'oauth2'] as const)('openid-client, discovering by %s', (algorithm) => {
  test.each([
    ['a public client', () => [publicId, undefined, openid.None()] as const],
    ['Basic', () => [confidential.clientId, undefined, openid.ClientSecretBasic(confidential.clientSecret)] as const],
    ['post', () => [confidential.clientId, undefined, openid.ClientSecretPost(confidential.clientSecret)] as const],
  ])('signs in, refreshes, reads userinfo and revokes as %s', async (_name, client) => {
    const config = await openid.discovery(new URL(installation.issuer), ...client(), {
      algorithm,
      execute: [openid.allowInsecureRequests],
    });
    const verifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: SCOPE,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 60 };
    const tokens = await openid.authorizationCodeGrant(config, await signIn(address), checks);
    expect(tokens.claims()).toMatchObject({ sub: ada.userId, nonce, name: 'Ada Lang', email: ada.login });
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: SCOPE });
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(next.claims()?.sub).toBe(ada.userId);
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    await openid.tokenRevocation(config, next.refresh_token ?? '');
    await expect(openid.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
    expect(await people.isValid(next.access_token)).toBe(false);
  });

  test('reports a refusal, and an answer of another issuer (RFC 9207)', async () => {
    const config = await openid.discovery(new URL(installation.issuer), publicId, undefined, openid.None(), {
      algorithm,
      execute: [openid.allowInsecureRequests],
    });
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      prompt: 'none',
      code_challenge: await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    });
    const { headers } = await people.browser().visit(`${address.pathname}${address.search}`);
    const answer = new URL(headers.get('location') ?? '');
    await expect(openid.authorizationCodeGrant(config, answer, {})).rejects.toMatchObject({ error: 'login_required' });
    answer.searchParams.set('iss', 'https://evil.example');
    await expect(openid.authorizationCodeGrant(config, answer, {})).rejects.not.toHaveProperty(
      'error',
      'login_required',
    );
  });
});

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  test('signs in, and validates every answer strictly', async () => {
    const issuer = new URL(installation.issuer);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    expect(server.authorization_response_iss_parameter_supported).toBe(true);
    const client: oauth.Client = { client_id: publicId };
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      client_id: publicId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: SCOPE,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    }).toString();
    const parameters = oauth.validateAuthResponse(server, client, await signIn(address), state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      CALLBACK,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: ada.userId, aud: publicId });
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? '', insecure),
    );
    expect(refreshed.access_token).not.toBe(tokens.access_token);
  });
});
