import { ApiError, ConnectionError, createClient, isApiError } from '@boxoffice/client';
import { describe, expect, test } from '@jest/globals';
import { createRefusalReply, createSuccessReply, startInstallation } from './installation.ts';

const accessToken = 'token';

describe('a call', () => {
  test('fills in path and query, sends body, key and conditions, and gives the data', async () => {
    const { baseUrl, received } = await startInstallation(() => createSuccessReply({ id: 'lin_1' }));
    const client = createClient({ baseUrl: `${baseUrl}/`, accessToken });
    const data = await client.updateIndividual({
      path: { contactNumber: 'C 1/2' },
      query: { allowDuplicateEmail: true },
      body: { lastName: 'Martin' },
      idempotencyKey: 'key-1',
      ifMatch: '"7"',
      headers: { 'x-request-id': 'mine' },
    });
    expect(data).toEqual({ id: 'lin_1' });
    expect(received).toMatchObject([
      {
        method: 'PATCH',
        path: '/svc/v3/contacts/individuals/C%201%2F2',
        query: { allowDuplicateEmail: 'true' },
        body: '{"lastName":"Martin"}',
        headers: {
          authorization: 'Bearer token',
          'content-type': 'application/json',
          'idempotency-key': 'key-1',
          'if-match': '"7"',
          'x-request-id': 'mine',
        },
      },
    ]);
  });

  test('has a key of its own where the operation takes one, and none elsewhere', async () => {
    const { client, received } = await startInstallation(() => createSuccessReply({}));
    const body = { items: [{ performanceId: 'prf_1', seatCategoryId: 'cat_1', tariffId: 'trf_1' }] };
    await client.createOrder({ body });
    await client.createOrder({ body });
    await client.getOrder({ path: { orderId: 'ord_1' } });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/), undefined]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('gives status and headers with the data', async () => {
    const { client } = await startInstallation(() =>
      createSuccessReply({ id: 'ord_1' }, { etag: '"3"', 'x-request-id': 'req-9' }),
    );
    const call = client.getOrder({ path: { orderId: 'ord_1' } });
    const { data, httpStatus, headers, requestId } = await call.withResponse();
    expect([data.id, httpStatus, headers.get('etag'), requestId]).toEqual(['ord_1', 200, '"3"', 'req-9']);
  });

  test.each(['', '.', '..'])(
    'refuses the path variable "%s", which would lead to another operation',
    async (orderId) => {
      const client = createClient({ baseUrl: 'http://127.0.0.1:9', accessToken });
      await expect(client.getOrder({ path: { orderId } })).rejects.toThrow('getOrder: path.orderId');
    },
  );

  test('of an operation without envelope gives the whole body, and sends no token where none is needed', async () => {
    const { client, received } = await startInstallation(() => ({ body: { keys: [] } }));
    expect(await client.getKeys()).toEqual({ keys: [] });
    await client.createToken({ body: { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b c' } });
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    expect(received[1]?.body).toBe('grant_type=client_credentials&client_id=a&client_secret=b+c');
  });

  test('with an API key alone sends the key', async () => {
    const { baseUrl, received } = await startInstallation(() => createSuccessReply({ items: [] }));
    const { items } = await createClient({ baseUrl, apiKey: 'bok_1' }).listProducts();
    expect(items).toEqual([]);
    expect([received[0]?.headers['x-api-key'], received[0]?.headers.authorization]).toEqual(['bok_1', undefined]);
  });

  test('ends with the reason of a signal, of its own or of the client', async () => {
    const { baseUrl } = await startInstallation(() => new Promise(() => undefined));
    const reason = new Error('enough');
    for (const owner of ['call', 'client']) {
      const controller = new AbortController();
      const { signal } = controller;
      const client = createClient({ baseUrl, accessToken, ...(owner === 'client' && { signal }) });
      const call = client.listOrders(owner === 'call' ? { signal } : {});
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
    }
  });

  test('that is not answered in its time is a connection error', async () => {
    const { baseUrl } = await startInstallation(() => new Promise(() => undefined));
    const client = createClient({ baseUrl, accessToken, retries: 0 });
    const error = await client.listOrders({ timeoutMs: 20 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).cause).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a refusal', () => {
  test('is an error with the code, the status, the details, the data and the id of the request', async () => {
    const existing = { contactNumber: 'C1' };
    const { client } = await startInstallation(() => createRefusalReply(409, 'contact_duplicate_email', {}, existing));
    const error = await client.createIndividual({ body: { lastName: 'Martin' } }).catch((thrown: unknown) => thrown);
    if (!isApiError(error, 'contact_duplicate_email')) throw error;
    const { status, httpStatus, details, data, requestId } = error;
    expect({ status, httpStatus, details, requestId, number: data?.contactNumber }).toEqual({
      status: 'contact_duplicate_email',
      httpStatus: 409,
      details: 'because of contact_duplicate_email',
      requestId: 'req-1',
      number: 'C1',
    });
    expect(isApiError(error, 'order_expired')).toBe(false);
  });

  test('with an unknown code has the generic one of its status; without an envelope that is its code', async () => {
    const { client } = await startInstallation(({ path }) =>
      path.endsWith('a') ? createRefusalReply(412, 'order_too_shiny') : { http: 404, body: '<h1>Not found</h1>' },
    );
    const errors = await Promise.all(
      ['a', 'b'].map((orderId) => client.getOrder({ path: { orderId } }).catch((thrown: unknown) => thrown)),
    );
    expect(errors).toEqual([expect.any(ApiError), expect.any(ApiError)]);
    expect(errors).toMatchObject([
      { status: 'order_too_shiny', genericStatus: 'precondition_failed' },
      { status: 'not_found', details: null, genericStatus: 'not_found' },
    ]);
  });

  test('of an unchanged resource is not_modified', async () => {
    const { client, received } = await startInstallation(() => (response) => void response.writeHead(304).end());
    const call = client.getCatalog({ ifNoneMatch: '"1"' });
    await expect(call).rejects.toMatchObject({ status: 'not_modified', httpStatus: 304 });
    expect(received[0]?.headers['if-none-match']).toBe('"1"');
  });
});

test.each([
  [{ baseUrl: 'tickets.example.org' }, 'Invalid URL'],
  [{ baseUrl: 'ftp://tickets.example.org' }, 'baseUrl is no address'],
  [{ clientSecret: 's' }, 'clientSecret needs clientId'],
  [{ clientId: 'c' }, 'clientId needs'],
  [{ accessToken: 'a', refreshToken: 'r' }, 'refreshToken needs clientId'],
  [{ clientId: 'c', refreshToken: 'r' }, 'refreshToken needs the accessToken'],
])('options that do not belong together are refused: %j', (options, message) => {
  expect(() => createClient({ baseUrl: 'https://tickets.example.org', ...options })).toThrow(message);
});

const three = () =>
  startInstallation(({ query }) => {
    const page = Number(query.cursor ?? 0);
    const items = [{ id: `ord_${page}a` }, { id: `ord_${page}b` }];
    return createSuccessReply({ items, nextCursor: page < 2 ? `${page + 1}` : null, asOf: 'now' });
  });

test('a loop gets every record, with the same query on each page', async () => {
  const { client, received } = await three();
  const found: string[] = [];
  for await (const { id } of client.listOrders({ query: { state: 'confirmed', limit: 2 } })) found.push(id);
  expect(found).toEqual(['ord_0a', 'ord_0b', 'ord_1a', 'ord_1b', 'ord_2a', 'ord_2b']);
  expect(received.map(({ query }) => query)).toEqual([
    { state: 'confirmed', limit: '2' },
    { state: 'confirmed', limit: '2', cursor: '1' },
    { state: 'confirmed', limit: '2', cursor: '2' },
  ]);
});

test('awaited, a list is its first page; a loop that ends early requests no more', async () => {
  const { client, received } = await three();
  expect((await client.listOrders()).items).toHaveLength(2);
  for await (const _ of client.listOrders()) break;
  expect(received).toHaveLength(2);
});

test('pages carry what belongs to the list', async () => {
  const { client } = await three();
  const pages: unknown[] = [];
  for await (const { asOf, nextCursor } of client.listOrders().pages()) pages.push([asOf, nextCursor]);
  expect(pages).toEqual([
    ['now', '1'],
    ['now', '2'],
    ['now', null],
  ]);
});

test('a refusal ends the loop, whichever page it is', async () => {
  for (const refused of [undefined, '1']) {
    const { client } = await startInstallation(({ query }) =>
      query.cursor === refused
        ? createRefusalReply(403, 'forbidden')
        : createSuccessReply({ items: [{ id: 'a' }], nextCursor: '1' }),
    );
    const loop = async () => {
      for await (const _ of client.listOrders());
    };
    await expect(loop()).rejects.toMatchObject({ status: 'forbidden' });
  }
});
