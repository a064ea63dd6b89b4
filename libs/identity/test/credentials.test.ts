import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServiceCredentials } from '../src/index.ts';
import { serve } from './authority.ts';

const state = { at: Date.now(), asked: [] as string[], status: 200, authorization: '' };
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  server = await serve((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end();
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      state.asked.push(body);
      state.authorization = request.headers.authorization ?? '';
      response.statusCode = state.status;
      const expiresAt = new Date(state.at + 60_000).toISOString();
      response.end(
        JSON.stringify({ details: 'not allowed', data: { identity: `token-${state.asked.length}`, expiresAt } }),
      );
    });
  });
});
afterAll(() => server.close());

const credentials = (authorizerUrl: string) =>
  createServiceCredentials({ authorizerUrl, service: 'orders', secret: 's3cret', now: () => state.at });
const call = { audience: 'catalog', institution: 'opera', operation: 'holdPlaces' };

describe('the token of a call is cached', () => {
  test('it is requested once with the service’s name and secret, and again shortly before expiry', async () => {
    const own = credentials(server.url);
    const [first] = await Promise.all([own.tokenFor(call), own.tokenFor(call), own.tokenFor(call)]);
    expect(state.asked).toHaveLength(1);
    expect(JSON.parse(state.asked[0] ?? '')).toEqual(call);
    expect(Buffer.from(state.authorization.slice(6), 'base64').toString()).toBe('orders:s3cret');
    state.at += 44_000;
    expect(await own.tokenFor(call)).toBe(first);
    state.at += 2_000;
    expect(await own.tokenFor(call)).not.toBe(first);
  });

  test('each institution, audience and operation has its own token', async () => {
    const own = credentials(server.url);
    const tokens = [
      await own.tokenFor(call),
      await own.tokenFor({ ...call, institution: 'museum' }),
      await own.tokenFor({ ...call, operation: 'releasePlaces' }),
      await own.tokenFor({ ...call, audience: 'tickets' }),
    ];
    expect(new Set(tokens).size).toBe(4);
  });

  test('a refusal is an error of the installation, and is not cached', async () => {
    const own = credentials(server.url);
    state.status = 403;
    await expect(own.tokenFor(call)).rejects.toThrow('orders a call of holdPlaces at catalog');
    state.status = 200;
    expect(await own.tokenFor(call)).toMatch(/^token-/);
  });

  test('without an answer of the authorizer the call is service_unavailable', async () => {
    const gone = await serve(() => undefined);
    await gone.close();
    await expect(credentials(gone.url).tokenFor(call)).rejects.toMatchObject({ code: 'service_unavailable' });
    state.status = 500;
    await expect(credentials(server.url).tokenFor(call)).rejects.toMatchObject({ code: 'service_unavailable' });
    state.status = 200;
  });
});
