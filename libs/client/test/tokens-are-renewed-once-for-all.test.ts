import { createClient, type TokenSet } from '@boxoffice/client';
import { describe, expect, test } from '@jest/globals';
import { createRefusalReply, createSuccessReply, type Received, startInstallation } from './installation.ts';

const isToken = ({ path }: Received) => path === '/auth/token';
const issued = (token: string, seconds = 900, refresh?: string) =>
  createSuccessReply({
    access_token: token,
    token_type: 'Bearer',
    expires_in: seconds,
    ...(refresh && { refresh_token: refresh }),
  });
const formOf = ({ body }: Received) => Object.fromEntries(new URLSearchParams(body));
const client = { clientId: 'cli_1', clientSecret: 'secret' };

describe('a client with a secret', () => {
  test('requests one token for all concurrent calls', async () => {
    const { baseUrl, received } = await startInstallation((one) =>
      isToken(one) ? issued('t1') : createSuccessReply({}),
    );
    const boxoffice = createClient({ baseUrl, ...client, scope: 'orders:read' });
    await Promise.all(Array.from({ length: 10 }, () => boxoffice.listOrders()));
    expect(received.filter(isToken).map(formOf)).toEqual([
      { grant_type: 'client_credentials', client_id: 'cli_1', client_secret: 'secret', scope: 'orders:read' },
    ]);
    expect(new Set(received.filter((one) => !isToken(one)).map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer t1']),
    );
  });

  test('renews a token before it expires', async () => {
    const { baseUrl, received } = await startInstallation((one, count) =>
      isToken(one) ? issued(`t${count}`, count === 0 ? 0 : 900) : createSuccessReply({}),
    );
    const boxoffice = createClient({ baseUrl, ...client });
    for (const _ of [1, 2, 3]) await boxoffice.listOrders();
    const used = received.filter((one) => !isToken(one)).map(({ headers }) => headers.authorization);
    expect(used).toEqual(['Bearer t0', 'Bearer t1', 'Bearer t1']);
  });

  test('renews it once for all who got a 401, also for a request that must not be repeated', async () => {
    const { baseUrl, received } = await startInstallation((one, count) => {
      if (isToken(one)) return issued(`t${count}`);
      return one.headers.authorization === 'Bearer t0'
        ? createRefusalReply(401, 'unauthorized')
        : createSuccessReply({});
    });
    const boxoffice = createClient({ baseUrl, ...client });
    await Promise.all([
      boxoffice.listOrders(),
      boxoffice.listTickets(),
      boxoffice.changeMyPassword({ body: { current: 'a', new: 'b' } }),
    ]);
    expect(received.filter(isToken)).toHaveLength(2);
    expect(received).toHaveLength(8);
  });

  test('throws a second 401', async () => {
    const { baseUrl, received } = await startInstallation((one) =>
      isToken(one) ? issued('t') : createRefusalReply(401, 'unauthorized'),
    );
    await expect(createClient({ baseUrl, ...client }).listOrders()).rejects.toMatchObject({ httpStatus: 401 });
    expect(received.filter((one) => !isToken(one))).toHaveLength(2);
  });

  test('gets a token in spite of failures, and throws the refusal of its secret', async () => {
    const { baseUrl } = await startInstallation((one, count) => {
      if (!isToken(one)) return createSuccessReply({});
      return count === 0 ? null : issued('t');
    });
    await createClient({ baseUrl, ...client, maxDelayMs: 5 }).listOrders();
    const other = await startInstallation(() => createRefusalReply(401, 'unauthorized'));
    await expect(createClient({ baseUrl: other.baseUrl, ...client }).listOrders()).rejects.toMatchObject({
      status: 'unauthorized',
    });
    expect(other.received).toHaveLength(1);
  });
});

describe('the token of a user', () => {
  test('is refreshed; each refresh token is used once and told to the application', async () => {
    const told: TokenSet[] = [];
    let accepted = 'a2';
    const { baseUrl, received } = await startInstallation((one, count) => {
      if (isToken(one)) return issued(`a${count + 2}`, 900, `r${count + 2}`);
      return one.headers.authorization === `Bearer ${accepted}`
        ? createSuccessReply({})
        : createRefusalReply(401, 'unauthorized');
    });
    const tokens = { accessToken: 'a1', refreshToken: 'r1', onTokens: async (one: TokenSet) => void told.push(one) };
    const boxoffice = createClient({ baseUrl, clientId: 'web', ...tokens });
    await boxoffice.listOrders();
    accepted = 'a3';
    await boxoffice.listOrders();
    expect(received.filter(isToken).map(formOf)).toEqual(
      ['r1', 'r2'].map((token) => ({ grant_type: 'refresh_token', refresh_token: token, client_id: 'web' })),
    );
    expect(told).toEqual([
      { accessToken: 'a2', refreshToken: 'r2', expiresAt: expect.any(Number) },
      { accessToken: 'a3', refreshToken: 'r3', expiresAt: expect.any(Number) },
    ]);
  });

  test('that has expired is not sent', async () => {
    const { baseUrl, received } = await startInstallation((one) =>
      isToken(one) ? issued('a2') : createSuccessReply({}),
    );
    const tokens = { accessToken: 'a1', refreshToken: 'r1', expiresAt: Date.now() - 1 };
    await createClient({ baseUrl, clientId: 'web', ...tokens }).listOrders();
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer a2']);
  });

  test('may come from the application, which is asked again after a 401', async () => {
    const { baseUrl, received } = await startInstallation(({ headers }) =>
      headers.authorization === 'Bearer a2' ? createSuccessReply({}) : createRefusalReply(401, 'unauthorized'),
    );
    let asked = 0;
    const boxoffice = createClient({
      baseUrl,
      accessToken: async () => {
        asked += 1;
        return asked === 1 ? 'a1' : 'a2';
      },
    });
    await boxoffice.listOrders();
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer a1', 'Bearer a2']);
  });

  test('without a refresh token ends with its 401', async () => {
    const { baseUrl, received } = await startInstallation(() => createRefusalReply(401, 'unauthorized'));
    await expect(createClient({ baseUrl, accessToken: 'a' }).listOrders()).rejects.toMatchObject({ httpStatus: 401 });
    expect(received).toHaveLength(1);
  });
});
