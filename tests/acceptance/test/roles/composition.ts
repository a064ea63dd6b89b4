import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalog, createInstitution } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { dereference } from '@boxoffice/http';
import { type CallerUser, type ClientBounds, IDENTITY_HEADER } from '@boxoffice/identity';
import { orders } from '@boxoffice/orders';
import { createLogger } from '@boxoffice/runtime';
import { openEngines, type RunningService, startService } from '@boxoffice/service';
import { openAuthority } from '@boxoffice/service/testkit';
import type { Json } from '@boxoffice/testkit';
import { tickets } from '@boxoffice/tickets';

type ServiceName = 'catalog' | 'contacts' | 'tickets' | 'orders' | 'authorizer';

/** An operation with a scope, as its service describes it. */
export interface Described {
  readonly service: ServiceName;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** All of them are needed. */
  readonly scopes: readonly string[];
  readonly query: readonly string[];
  /** Whether an API key without a token is enough. */
  readonly isPublic: boolean;
  /** The example of its body; undefined without one. */
  readonly body: unknown;
}

/** What an answer shows. */
export interface Shown {
  readonly status: number;
  readonly text: string;
  /** The headers that say something about the resource. */
  readonly headers: string;
  readonly data: Json;
}

export interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Default: the example of the description. */
  readonly body?: unknown;
  readonly user?: CallerUser | null;
  /** Default: one without bounds. */
  readonly client?: string;
  readonly bounds?: ClientBounds | null;
  /** Beside those that the operation needs. */
  readonly more?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export type Composition = Awaited<ReturnType<typeof startComposition>>;

/** Bodies without what needs a further scope, where the example has it. */
const PLAIN: Readonly<Record<string, unknown>> = {
  addPayment: { method: 'card', amount: 1, status: 'captured' },
};

/** Query parameters without which an operation refuses, from the values of path parameters. */
const NEEDED: Readonly<Record<string, (params: Readonly<Record<string, string>>) => Readonly<Record<string, string>>>> =
  {
    listAvailability: ({ performanceId = 'none' }) => ({ performanceIds: performanceId }),
    getAdmissions: ({ performanceId = 'none' }) => ({ performanceId }),
    listTicketStatuses: ({ performanceId = 'none' }) => ({ performanceId }),
    getAllTicketStatuses: ({ performanceId = 'none' }) => ({ performanceId }),
  };

/** The operations with a scope in a description. */
export function listScopedOperations(served: object, service: ServiceName): Described[] {
  const { paths }: Json = dereference(served);
  return Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).flatMap(([method, operation]): Described[] => {
      const { operationId: id, security = [], parameters = [], requestBody } = operation;
      const scopes = security.flatMap(({ oauth2 = [] }: Json) => oauth2);
      if (scopes.length === 0) return [];
      const query = parameters.filter((one: Json) => one.in === 'query').map(({ name }: Json) => name);
      const isPublic = security.some(({ apiKey }: Json) => apiKey !== undefined);
      const [content] = Object.values<Json>(requestBody?.content ?? {});
      const [example] = Object.values<Json>(content?.examples ?? {});
      const body = PLAIN[id] ?? example?.value;
      return [{ service, id, method: method.toUpperCase(), path, scopes, query, isPublic, body }];
    }),
  );
}

const SHOWING = ['etag', 'location', 'link', 'content-location', 'idempotency-replayed'];

const quiet = createLogger({ service: 'test', level: 'error', write: () => undefined });

/**
 * Starts the four services that hold what users see, each on its own store, with a bus between them: on SQLite, or on
 * the MongoDB server of this address.
 */
export async function startComposition(mongodbServer: string | undefined) {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-roles-'));
  const mongodb = mongodbServer === undefined ? undefined : new URL(mongodbServer);
  if (mongodb) mongodb.pathname = `/t${randomBytes(8).toString('hex')}`;
  const institution = `i${randomBytes(6).toString('hex')}`;
  const authority = await openAuthority('orders');
  const engines = await openEngines({
    mongodbUrl: mongodb?.href,
    amqpUrl: undefined,
    directory,
    logger: quiet,
    serves: [catalog, contacts, tickets, orders].flatMap(({ queues = [] }) => queues),
  });
  const running = new Map<ServiceName, RunningService>();
  const urlOf = (name: ServiceName) => running.get(name)?.url ?? 'http://127.0.0.1:1';

  const start = async (definition: typeof catalog | typeof contacts | typeof tickets | typeof orders) => {
    const service = await startService(definition as typeof orders, {
      store: await engines.store(definition.name, definition.collections),
      bus: engines.bus,
      authorizerUrl: authority.listening.url,
      publicUrl: 'https://localhost:8443',
      serviceSecret: 'a secret of this test',
      host: '127.0.0.1',
      port: 0,
      logger: quiet,
      settings: {
        catalogUrl: urlOf('catalog'),
        contactsUrl: urlOf('contacts'),
        ticketsUrl: urlOf('tickets'),
        maxHeldPlaces: 5_000,
        posHeldPlacesPerAddress: 200,
        posHeldPlacesPerLogin: 50,
        paymentGraceSeconds: 900,
        ...({ duplicateEmailsPerMinute: 600 } as object),
      },
    });
    running.set(definition.name as ServiceName, service);
  };

  for (const definition of [catalog, contacts, tickets, orders]) await start(definition);
  await createInstitution(await engines.store(catalog.name, catalog.collections), {
    id: institution,
    name: 'Opera',
    currency: 'CHF',
    languages: ['fr'],
  });
  const operations = (await Promise.all([...running].map(([name, { url }]) => describedBy(name, url)))).flat();

  /** Calls an operation with the scopes that it needs. Without `user` a client calls for itself. */
  const call = async (id: string, options: CallOptions = {}): Promise<Shown> => {
    const { params = {}, query = {}, user = null, client = 'partner', bounds = null, more = [], ...given } = options;
    const operation = operations.find((one) => one.id === id);
    if (!operation) throw new Error(`no service describes ${id}`);
    const { service, method, path, scopes, body: example } = operation;
    const body = 'body' in given ? given.body : example;
    const who = { institution, client, bounds, service: null, user };
    const caller = { ...who, scopes: [...scopes, ...more], operation: id };
    const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'none'));
    const search = new URLSearchParams({ ...NEEDED[id]?.(params), ...query }).toString();
    const response = await fetch(`${urlOf(service)}${filled}${search && `?${search}`}`, {
      method,
      headers: {
        [IDENTITY_HEADER]: authority.sign(service, caller),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...given.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const shown = SHOWING.map((name) => `${name}: ${response.headers.get(name)}`).join('\n');
    // A document has no data.
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, text, headers: shown, data: isJson ? JSON.parse(text).data : null };
  };

  return {
    institution,
    operations,
    call,
    async close() {
      for (const service of [...running.values()].reverse()) await service.close();
      await engines.close();
      await authority.listening.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const describedBy = async (service: ServiceName, url: string): Promise<Described[]> =>
  listScopedOperations((await (await fetch(`${url}/openapi.json`)).json()) as object, service);
