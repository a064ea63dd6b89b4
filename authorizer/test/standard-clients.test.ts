import { beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { type Browser, createPeopleForSuite, PASSWORD, type Person, readFormToken } from './browser.ts';
import { CALLBACK, startInstallationForSuite, type TestClient } from './installation.ts';

const installation = startInstallationForSuite();

describe('popular libraries work untouched', () => {
  let client: TestClient;

  beforeAll(async () => {
    client = await installation.newClient(['catalog:read', 'contacts:write']);
  });

  const wrong = () => ({ ...client, clientSecret: 'wrong' });

  describe('simple-oauth2', () => {
    const library = ({ clientId, clientSecret }: TestClient, authorizationMethod: 'header' | 'body') =>
      new ClientCredentials({
        client: { id: clientId, secret: clientSecret },
        auth: { tokenHost: installation.url, tokenPath: '/auth/token', revokePath: '/auth/revoke' },
        options: { authorizationMethod },
      });

    test.each(['header', 'body'] as const)('gets a token with its credentials in the %s', async (method) => {
      const accessToken = await library(client, method).getToken({ scope: ['catalog:read'] });
      expect(accessToken.token).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'catalog:read' });
      expect(accessToken.expired()).toBe(false);
      expect((await installation.decide(String(accessToken.token.access_token), 'catalog:read')).status).toBe(200);
    });

    test.each(['header', 'body'] as const)('reports wrong credentials in the %s', async (method) => {
      await expect(library(wrong(), method).getToken({})).rejects.toMatchObject({ output: { statusCode: 401 } });
    });
  });

  describe('openid-client', () => {
    const discover = ({ clientId, clientSecret }: TestClient, method: openid.ClientAuth) =>
      openid.discovery(new URL(installation.issuer), clientId, clientSecret, method, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });

    test.each([
      ['Basic', () => openid.ClientSecretBasic(client.clientSecret)],
      ['post', () => openid.ClientSecretPost(client.clientSecret)],
    ])('discovers the endpoints, gets, introspects and revokes a token with %s', async (_name, method) => {
      const library = await discover(client, method());
      const issued = await openid.clientCredentialsGrant(library, { scope: 'contacts:write' });
      expect(issued).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'contacts:write' });
      expect(issued.expiresIn()).toBeGreaterThan(890);
      const about = await openid.tokenIntrospection(library, issued.access_token);
      expect(about).toMatchObject({ active: true, client_id: client.clientId, scope: 'contacts:write' });
      await openid.tokenRevocation(library, issued.access_token);
      expect((await openid.tokenIntrospection(library, issued.access_token)).active).toBe(false);
    });

    test('reports wrong credentials and a scope that is not granted', async () => {
      const stranger = await discover(wrong(), openid.ClientSecretPost('wrong'));
      await expect(openid.clientCredentialsGrant(stranger)).rejects.toMatchObject({
        error: 'invalid_client',
        status: 401,
      });
      const challenged = await discover(wrong(), openid.ClientSecretBasic('wrong'));
      await expect(openid.clientCredentialsGrant(challenged)).rejects.toMatchObject({
        cause: [{ scheme: 'basic', parameters: { realm: 'boxoffice' } }],
      });
      const own = await discover(client, openid.ClientSecretPost(client.clientSecret));
      await expect(openid.clientCredentialsGrant(own, { scope: 'orders:write' })).rejects.toMatchObject({
        error: 'invalid_scope',
      });
    });
  });

  describe('the discovery documents', () => {
    test('metadata (RFC 8414) is bare, its issuer is the public address, and every address is below it', async () => {
      const { body, headers } = await installation.get('/.well-known/oauth-authorization-server');
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(body).toMatchObject({
        issuer: installation.issuer,
        token_endpoint: `${installation.issuer}/auth/token`,
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
      });
      for (const [name, value] of Object.entries(body)) {
        if (name.endsWith('_endpoint') || name.endsWith('_uri'))
          expect(String(value)).toMatch(`${installation.issuer}/`);
      }
      expect(body).not.toHaveProperty('status');
    });

    test('the key document (RFC 7517) is bare', async () => {
      const { body } = await installation.get('/auth/jwks');
      expect(Object.keys(body)).toEqual(['keys']);
      expect(body.keys).toEqual([expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })]);
    });
  });
});

describe('users sign in with popular libraries', () => {
  const people = createPeopleForSuite(installation);
  let ada: Person;
  let publicId: string;
  let confidential: { clientId: string; clientSecret: string };

  beforeAll(async () => {
    ada = await people.person();
    publicId = await people.webClient();
    confidential = await people.confidentialClient();
  });

  const SCOPE = 'openid profile email offline_access catalog:read';

  /** What the browser does: opens the address, signs in, and returns to the client. */
  const signIn = async (address: URL, browser: Browser = people.browser()): Promise<URL> => {
    const page = await browser.visit(`${address.pathname}${address.search}`);
    const fields = { form: readFormToken(page), login: ada.login, password: PASSWORD };
    const { headers } = await browser.post('/auth/authorize', fields);
    return new URL(headers.get('location') ?? '');
  };

  describe('openid-client', () => {
    const basic = () =>
      [confidential.clientId, undefined, openid.ClientSecretBasic(confidential.clientSecret)] as const;
    const post = () => [confidential.clientId, undefined, openid.ClientSecretPost(confidential.clientSecret)] as const;

    test.each([
      ['a public client', 'oidc', () => [publicId, undefined, openid.None()] as const],
      ['Basic', 'oidc', basic],
      ['post', 'oauth2', post],
    ] as const)('signs in, refreshes and revokes as %s, discovering by %s', async (_name, algorithm, client) => {
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
      await expect(openid.authorizationCodeGrant(config, answer, {})).rejects.toMatchObject({
        error: 'login_required',
      });
      answer.searchParams.set('iss', 'https://evil.example');
      await expect(openid.authorizationCodeGrant(config, answer, {})).rejects.not.toHaveProperty(
        'error',
        'login_required',
      );
    });
  });

  const insecure = { [oauth.allowInsecureRequests]: true };

  test('oauth4webapi signs in, and validates every answer strictly', async () => {
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
