import { dereference } from '@boxoffice/http';
import { integer, readSettings } from '@boxoffice/runtime';
import { type Client, type Json, openClient, type Reply } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { authoriseDemoClient } from '../../src/product.ts';
import { useSharedProduct } from '../product.ts';
import {
  createWrongValue,
  type Filled,
  generateRequests,
  listOperations,
  type Operation,
  serialiseRequest,
} from './requests.ts';

/** The number of generated requests per operation. */
const REQUESTS = 8;

const { seed } = readSettings({ seed: integer('TEST_SEED', { default: 20_261_122 }) });

const product = useSharedProduct();

type Ask = (operation: Operation, filled: Filled, headers?: Readonly<Record<string, string>>) => Promise<Reply>;

const asked = (client: Client, more: () => Readonly<Record<string, string>>): Ask => {
  return (operation, filled, headers = {}) => {
    const { path, ...request } = serialiseRequest(operation, filled);
    return client(path, { ...request, headers: { ...more(), ...request.headers, ...headers } });
  };
};

/** The codes of a malformed request. Other codes with the status 400, in family B, are business refusals. */
const FORM: ReadonlySet<string> = new Set([
  'bad_request',
  'validation_error',
  'missing_parameter',
  'invalid_parameter',
  'unsupported_media_type',
  'context_missing',
  'context_invalid',
]);

const codeOf = ({ body }: Reply): string => body?.errorCode ?? body?.status ?? '';
const isFormFault = (reply: Reply): boolean => [400, 415].includes(reply.status) && FORM.has(codeOf(reply));
const described = ({ status, text }: Reply): string => `${status} ${text.slice(0, 300)}`;

/** Applies rules between members, which a schema cannot express; the members' descriptions do. */
const between = ({ id, path }: Operation, { body, query: given, ...others }: Filled): Filled => {
  const query = { ...given };
  if (id === 'getUsage') {
    // At most 92 days, and users are not counted per minute.
    delete query.from;
    if (query.granularity === 'minute') delete query.groupBy;
  }
  if (id === 'listEvents') {
    // A cursor is one that the feed gave.
    if (query.after !== undefined) query.after = 'start';
    delete query.wait;
  }
  // A search is one among the tickets of a performance.
  if (id === 'listTickets' && query.q !== undefined) query.performanceId ??= 'prf_unknown';
  // One of the two is required.
  if (id === 'listAvailability') query.productId ??= 'prd_unknown';
  const rest = { ...others, query };
  const members = { ...(body as Readonly<Record<string, unknown>> | undefined) };
  // The quantity follows from the named places.
  if (Array.isArray(members.placeIds)) delete members.quantity;
  // Beneficiaries are at most as many as the places of their item.
  if (Array.isArray(members.items)) members.items = members.items.map(({ beneficiaries: _, ...item }) => item);
  // An order is paid or confirmed by its one call, not both.
  if (members.payment !== undefined) delete members.confirmation;
  // A refund is made by a method or by a provider, not both.
  if (id === 'refundOrder') {
    Object.assign(members, { method: members.method ?? 'cash' });
    for (const name of ['provider', 'paymentId']) delete members[name];
  }
  // A change names lines, each once.
  const isChange = id === 'quoteOrderChange' || id === 'changeOrder';
  if (isChange) Object.assign(members, { returns: [{ lineId: 'lin_unknown' }], exchanges: undefined });
  // It is refunded by a method or by a provider, not both.
  if (isChange) delete members.refund;
  // A fee has an amount or, on tickets, a percentage, which alone is rounded.
  if (id === 'createFee' || id === 'changeFee')
    Object.assign(members, { amount: 100, percent: undefined, roundTo: undefined });
  // So do the fees of a return policy.
  const policies = [members, ...(Array.isArray(members.performances) ? members.performances : [])];
  for (const one of policies.filter(({ returnPolicy }) => returnPolicy))
    one.returnPolicy = { returnMinutes: 60, returnFee: { amount: 100 } };
  // A discount has one kind of effect; its codes are named or made, and withdrawn by batch or by one.
  if (id === 'createDiscount' || id === 'changeDiscount') members.effect = { amount: 100 };
  if (id === 'createDiscountCodes') for (const name of ['codes', 'maxUses']) delete members[name];
  if (id === 'createDiscountCodes') members.count = 3;
  if (id === 'withdrawDiscountCodes') delete members.code;
  if (id === 'withdrawDiscountCodes') members.batchId ??= 'bat_unknown';
  // Scopes are those of the metadata, of services of teams as well.
  if (Array.isArray(members.scopes)) members.scopes = members.scopes.length === 0 ? [] : ['catalog:read'];
  // Private-use schemes are for public clients.
  if (id === 'createClient') members.type = 'public';
  // What a grant needs depends on its type.
  if (id === 'createToken')
    Object.assign(members, {
      code: 'unknown',
      code_verifier: 'v'.repeat(43),
      redirect_uri: 'https://app.example.org/callback',
      refresh_token: 'unknown',
    });
  // Without HTTP Basic, the form carries the client's credentials.
  if (path.startsWith('/auth/')) Object.assign(members, { client_id: 'cl_unknown', client_secret: 'wrong' });
  return { ...rest, body: body || isChange ? members : body };
};

const sampleOf = (operation: Operation, count: number): Filled[] =>
  fc.sample(generateRequests(operation), { seed, numRuns: count }).map((filled) => between(operation, filled));

/** Operations that refuse the form of a request that their description allows, with the first such request. */
const refusedOf = async (operations: readonly Operation[], ask: Ask): Promise<string[]> => {
  const refused: string[] = [];
  for (const operation of operations)
    for (const filled of sampleOf(operation, REQUESTS)) {
      const reply = await ask(operation, filled);
      if (!isFormFault(reply) && reply.status < 500) continue;
      refused.push(`${operation.id} ${JSON.stringify(filled)}: ${described(reply)}`);
      break;
    }
  return refused;
};

const UNLIKE_AN_ID = 'a~b!';

/** Requests that the description forbids, each with its permitted statuses. */
const forbidden = (
  operation: Operation,
  right: Filled,
): { what: string; filled: Filled; statuses: readonly number[] }[] => {
  const { params, query, body } = operation;
  const { properties = {}, required = [] } = body?.schema ?? {};
  const sent = (right.body ?? {}) as Readonly<Record<string, unknown>>;
  const withBody = (what: string, changed: object) => ({ what, filled: { ...right, body: changed }, statuses: [400] });
  const isJson = body?.mediaType === 'application/json';
  return [
    ...params.map(({ name }) => {
      const changed = { ...right.params, [name]: UNLIKE_AN_ID };
      // A missing permission is reported before the resource is looked up.
      return { what: `path ${name}`, filled: { ...right, params: changed }, statuses: [403, 404] };
    }),
    ...query
      .filter(({ schema }) => schema.type !== 'string' || schema.enum || schema.format || schema.pattern)
      .map(({ name }) => {
        const filled = { ...right, query: { ...right.query, [name]: ' ' } };
        return { what: `query ${name}`, filled, statuses: [400] };
      }),
    ...(isJson
      ? [
          withBody('an unknown member', { ...sent, 'no such': 1 }),
          ...required.map((name: string) => withBody(`no ${name}`, { ...sent, [name]: undefined })),
          ...Object.entries<Json>(properties)
            .filter(([, schema]) => !schema.readOnly && createWrongValue(schema) !== undefined)
            .map(([name, schema]) => withBody(`another ${name}`, { ...sent, [name]: createWrongValue(schema) })),
        ]
      : []),
  ];
};

/** Requests that the description forbids and the service does not refuse. */
const takenOf = async (operations: readonly Operation[], ask: Ask): Promise<string[]> => {
  const taken: string[] = [];
  for (const operation of operations) {
    const [right] = sampleOf(operation, 1);
    if (!right) continue;
    for (const { what, filled, statuses } of forbidden(operation, right)) {
      const reply = await ask(operation, filled);
      if (!statuses.includes(reply.status)) taken.push(`${operation.id}, ${what}: ${described(reply)}`);
    }
  }
  return taken;
};

const description = async (path: string): Promise<Json> => dereference((await openClient(product.address)(path)).body);

/** Checks that an id outside the pattern gets the same response as an unknown one. */
const unlikeUnknown = async (operations: readonly Operation[], ask: Ask): Promise<string[]> => {
  const different: string[] = [];
  for (const operation of operations.filter(({ params }) => params.length === 1)) {
    const [right] = sampleOf(operation, 1);
    const [param] = operation.params;
    if (!right || !param) continue;
    const replyTo = (value: string) => ask(operation, { ...right, params: { [param.name]: value } });
    const [unlike, unknown] = [await replyTo(UNLIKE_AN_ID), await replyTo('unknown')];
    if (unknown.status === 404 && unlike.text !== unknown.text)
      different.push(`${operation.id}: ${described(unlike)} instead of ${described(unknown)}`);
  }
  return different;
};

describe('the institution API', () => {
  let operations: Operation[];
  let ask: Ask;
  beforeAll(async () => {
    // Somebody else signs what it takes, so that it has no form of its own.
    operations = listOperations(await description('/openapi.json')).filter(({ id }) => id !== 'takeStripeWebhook');
    ask = asked(await authoriseDemoClient(product, 'opera', 'full'), () => ({}));
  });

  test('a request that fits the description is not refused as malformed', async () => {
    expect(await refusedOf(operations, ask)).toEqual([]);
  }, 300_000);

  test('a request that the description forbids is refused', async () => {
    expect(await takenOf(operations, ask)).toEqual([]);
  }, 300_000);

  test('a malformed id gets the same bytes as an unknown id', async () => {
    expect(await unlikeUnknown(operations, ask)).toEqual([]);
  });

  test('every parameter of a path has a pattern', () => {
    const without = operations.flatMap(({ id, params }) =>
      params.flatMap(({ schema }) => (schema.pattern ? [] : [id])),
    );
    expect(without).toEqual([]);
  });
});

test.each(['/openapi.json', '/tnwr/v1/openapi.json', '/tnwr/vexp/openapi.json'])(
  'in %s whatever takes modifiedSince answers asOf',
  async (path) => {
    const telling = listOperations(await description(path)).filter(({ query }) =>
      query.some(({ name }) => name === 'modifiedSince'),
    );
    expect(telling.length > 0).toBe(path === '/openapi.json');
    expect(telling.filter(({ answered }) => !answered.includes('asOf')).map(({ id }) => id)).toEqual([]);
  },
);

describe.each(['v1', 'vexp'])('the point-of-sale API %s', (version) => {
  let operations: Operation[];
  let ask: Ask;
  beforeAll(async () => {
    operations = listOperations(await description(`/tnwr/${version}/openapi.json`));
    const { serviceHost, login, password } = product.demo.users[0] ?? { serviceHost: '', login: '', password: '' };
    const client = openClient(product.address);
    const logIn = async () => {
      const headers = { 'x-service-host': serviceHost };
      const reply = await client(`/tnwr/${version}/sessions`, { method: 'POST', headers, body: { login, password } });
      return String(reply.headers['x-auth-token']);
    };
    let token = await logIn();
    const call = asked(client, () => ({ 'x-service-host': serviceHost, 'x-auth-token': token }));
    ask = async (operation, filled, headers) => {
      const reply = await call(operation, filled, headers);
      // Logs in again after a logout.
      if (operation.path.endsWith('/sessions/current') && operation.method === 'DELETE') token = await logIn();
      return reply;
    };
  });

  test('a request that fits the description is not refused as malformed', async () => {
    expect(await refusedOf(operations, ask)).toEqual([]);
  }, 300_000);

  test('a request that the description forbids is refused', async () => {
    expect(await takenOf(operations, ask)).toEqual([]);
  }, 300_000);

  test('a malformed id gets the same bytes as an unknown id', async () => {
    expect(await unlikeUnknown(operations, ask)).toEqual([]);
  });

  test('a method with a body requires it, and a request without Content-Type is 415', async () => {
    const writing = operations.filter(({ method }) => method === 'POST' || method === 'PATCH');
    expect(writing.filter(({ body }) => !body?.required)).toEqual([]);
    for (const operation of writing) {
      const [right] = sampleOf(operation, 1);
      if (!right) continue;
      expect((await ask(operation, { ...right, body: undefined })).status).toBe(415);
      const empty = await ask(operation, { ...right, body: undefined }, { 'content-type': 'application/json' });
      expect(empty.status).not.toBe(415);
    }
  });
});
