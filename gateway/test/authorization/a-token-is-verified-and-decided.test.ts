// rule 4: Family A requires a bearer token, except at the token endpoint | gateway/src/authorization/credentials.ts
// rule 5: 2: each call sends `Authorization: Bearer` | gateway/src/authorization/credentials.ts
// rule 5: 6: a missing token is 401 `unauthorized`, from the gateway | gateway/src/authorization/credentials.ts
// rule 7: 401 `unauthorized`: missing or expired token | gateway/src/authorization/credentials.ts
// rule 4: The token's client and scopes decide what data is visible | gateway/src/authorization/authorize.ts

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Client, runAtOneMoment, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { decodeClaims, signToken } from '../fixtures/jws.ts';
import { sendJson } from '../fixtures/upstream.ts';

const its = useFixture(() => startInstallation());

const LIST = '/svc/v3/contacts/individuals';

/** Calls with a token that has been verified, and expires in seconds: the later, the slower the machine is. */
const withShortToken = async (seconds = 2): Promise<{ readonly exp: number; readonly call: Client }> => {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  const call = its.as(its.authorizer.token(['contacts:read'], { exp }));
  const { status } = await call(LIST);
  if (status === 401 && Date.now() >= exp * 1000) return withShortToken(2 * seconds);
  expect(status).toBe(200);
  return { exp, call };
};

test.concurrent('a verified token is refused once it has expired', async () => {
  const { exp, call } = await withShortToken();
  await waitUntil(async () => Date.now() >= exp * 1000 || (await call(LIST)).status !== 200);
  const reply = await call(LIST);
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
});

test.concurrent('a decision is requested again after its cache time', async () => {
  const token = its.authorizer.token(['contacts:read']);
  await its.as(token)(LIST);
  its.authorizer.client(token).scopes = [];
  await waitUntil(async () => (await its.as(token)(LIST)).status === 403);
});

describe('the gateway checks every token itself', () => {
  const challenge = async (authorization: string | undefined, path = LIST) => {
    const before = its.contacts.received.length;
    const reply = await its.call(path, authorization === undefined ? {} : { headers: { authorization } });
    expect(its.contacts.received.length).toBe(before);
    expect([reply.status, reply.body]).toEqual([
      401,
      { status: 'unauthorized', details: expect.any(String), data: null },
    ]);
    return reply.headers['www-authenticate'];
  };

  test('no token, or another scheme: the bare challenge', async () => {
    expect(await challenge(undefined)).toBe('Bearer');
    expect(await challenge('Basic YTpi')).toBe('Bearer');
    expect(await challenge('Bearer')).toBe('Bearer');
    expect(await challenge('Bearerx abc')).toBe('Bearer');
  });

  test('a token in the query is ignored', async () => {
    const token = its.authorizer.token(['contacts:read']);
    expect(await challenge(undefined, `${LIST}?access_token=${token}`)).toBe('Bearer');
  });

  test('a token that does not verify: invalid_token', async () => {
    const invalid = 'Bearer error="invalid_token"';
    const good = its.authorizer.token(['contacts:read']);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const claims = decodeClaims<object>(good);
    const tokens = {
      malformed: 'abc',
      withSpaces: `${good} x`,
      foreignKey: signToken(privateKey, { alg: 'ES256', typ: 'at+jwt', kid: 'unknown' }, claims),
      unsigned: signToken(privateKey, { alg: 'none', typ: 'at+jwt' }, claims),
      expired: its.authorizer.token(['contacts:read'], { exp: Math.floor(Date.now() / 1000) - 1 }),
      foreignIssuer: its.authorizer.token(['contacts:read'], { iss: 'https://other.example' }),
      foreignAudience: its.authorizer.token(['contacts:read'], { aud: 'https://other.example' }),
      anotherKind: its.authorizer.token(['contacts:read'], {}, { typ: 'identity+jwt' }),
      changed: good.replace(/\.[^.]*$/, (signature) => `${signature.slice(0, -6)}AAAAAA`),
    };
    for (const [name, token] of Object.entries(tokens)) {
      expect([name, await challenge(`Bearer ${token}`)]).toEqual([name, invalid]);
    }
  });

  test('the scheme’s case does not matter', async () => {
    const token = its.authorizer.token(['contacts:read']);
    expect((await its.call(LIST, { headers: { authorization: `bEARER ${token}` } })).status).toBe(200);
  });

  test('without the authorizer’s keys every token is 503, never 401 or accepted', async () => {
    const services = { contacts: its.contacts.url, authorizer: 'http://127.0.0.1:9' };
    const alone = await startInstallation({ services }, { ready: false });
    try {
      await waitUntil(async () => (await alone.call(LIST)).status === 401);
      const reply = await alone.as(its.authorizer.token(['contacts:read']))(LIST);
      expect([reply.status, reply.body.status]).toEqual([503, 'service_unavailable']);
      expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    } finally {
      await alone.close();
    }
  });
});

describe('the authorizer decides', () => {
  const ONE = `${LIST}/C1`;

  const questionsOf = (token: string) => its.authorizer.decisionRequests.filter((question) => question.token === token);

  describe('a decision', () => {
    test('is requested with token, operation, scope and service', async () => {
      const token = its.authorizer.token(['contacts.sensitive:read']);
      expect((await its.as(token)(`${ONE}/sensitive`)).status).toBe(200);
      expect(questionsOf(token)).toEqual([
        { token, operation: 'getSensitive', scope: 'contacts.sensitive:read', audience: 'contacts' },
      ]);
    });

    test('against the client is relayed with the authorizer’s details', async () => {
      const token = its.authorizer.token(['contacts:write']);
      const reply = await its.as(token)(LIST);
      expect(reply.status).toBe(403);
      expect(reply.body).toEqual({ status: 'forbidden', details: 'forbidden by the fake authorizer', data: null });
      expect(reply.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="contacts:read"');
      expect(its.contacts.received.filter(({ url }) => url === 'none')).toEqual([]);
    });

    test('is cached for seconds, by token and operation', async () => {
      const token = its.authorizer.token(['contacts:read']);
      const call = its.as(token);
      await runAtOneMoment(async () => {
        for (const path of [LIST, LIST, ONE, `${LIST}/C2`, LIST]) expect((await call(path)).status).toBe(200);
      });
      expect(questionsOf(token).map(({ operation }) => operation)).toEqual(['listIndividuals', 'getIndividual']);
      expect((await call(LIST, { method: 'POST', body: '{}' })).status).toBe(403);
      const other = its.authorizer.token(['contacts:read']);
      expect((await its.as(other)(LIST)).status).toBe(200);
      expect(questionsOf(other)).toHaveLength(1);
    });

    test('is not cached when it is a refusal', async () => {
      const token = its.authorizer.token([]);
      for (const _ of [1, 2, 3]) expect((await its.as(token)(LIST)).status).toBe(403);
      expect(questionsOf(token)).toHaveLength(3);
    });

    test('is requested once for equal concurrent requests', async () => {
      const token = its.authorizer.token(['contacts:read']);
      const replies = await runAtOneMoment(() => Promise.all(Array.from({ length: 20 }, () => its.as(token)(LIST))));
      expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(questionsOf(token)).toHaveLength(1);
    });
  });

  describe('an authorizer that does not decide', () => {
    test.each([
      ['fails', 500],
      ['is starting', 503],
      ['sends another answer', 418],
      ['does not know the gateway', 400],
      ['refuses the gateway’s secret', 401],
    ])('that %s makes the request 503', async (_, status) => {
      its.authorizer.decide = (response) => sendJson(response, status, { status: 'x', details: 'x', data: null });
      const token = its.authorizer.token(['contacts:read']);
      const reply = await its.as(token)(LIST);
      its.authorizer.decide = undefined;
      expect([reply.status, reply.body.status]).toEqual([503, 'service_unavailable']);
      expect(reply.headers['retry-after']).toBeDefined();
    });

    test('that closes the connection is called once more', async () => {
      its.authorizer.decide = (response) => {
        its.authorizer.decide = undefined;
        response.destroy();
      };
      const token = its.authorizer.token(['contacts:read']);
      expect((await its.as(token)(LIST)).status).toBe(200);
      expect(questionsOf(token)).toHaveLength(2);
    });
  });
});

describe('an operation for any token needs no scope', () => {
  const ME = '/svc/v3/users/me';

  test('a token without any scope is let through, with the identity that the authorizer signs', async () => {
    const token = its.authorizer.token([]);
    expect((await its.as(token)(ME)).status).toBe(200);
    expect(its.authorizer.decisionRequests.filter((one) => one.token === token)).toEqual([
      { token, operation: 'getMe', scope: '', audience: 'authorizer' },
    ]);
    const reached = its.authorizer.received.filter(({ url }) => url === ME);
    expect(reached.at(-1)?.headers['x-internal-identity']).toBeDefined();
  });

  test('without a token, or with a revoked one, it is refused', async () => {
    expect((await its.as('')(ME)).status).toBe(401);
    const token = its.authorizer.token([]);
    its.authorizer.revoke(token);
    expect((await its.as(token)(ME)).status).toBe(401);
  });
});
