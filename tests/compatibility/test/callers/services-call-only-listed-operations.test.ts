import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Description, listOperations } from '@boxoffice/codegen';
import { type Process, processes } from '@boxoffice/contracts';
import {
  createServiceCredentials,
  formatServiceAuthorization,
  IDENTITIES_PATH,
  IDENTITY_HEADER,
} from '@boxoffice/identity';
import { deriveServiceSecret, readSettings } from '@boxoffice/runtime';
import { builtInRows } from '@boxoffice/runtime/services';
import { openEngines, type RunningService, startService } from '@boxoffice/service';
import { type Authority, openAuthority } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyService, definitions, quiet } from '../../src/scenario/open-scenario.ts';

const ROOT = 'only for an installation that is thrown away';
/** Every process that authenticates at the authorizer. */
const authenticated = builtInRows.map(({ name }) => name).filter((name) => name !== 'authorizer');
const services = Object.keys(definitions).filter((name) => name !== 'authorizer');

/** The operations of a description, with a value for each path variable. */
const callsIn = (description: Description) =>
  [...listOperations(description).values()].map(({ name, operation }) => {
    const [method = '', path = ''] = name.replaceAll(/\{[^}]*\}/g, 'x').split(' ');
    return { id: operation.operationId, method, path, security: operation.security };
  });

const internalOf = (service: string) =>
  callsIn((processes.find(({ name }) => name === service) as (typeof processes)[number]).internal());
const partnersOf = (service: string) =>
  callsIn((processes.find(({ name }) => name === service) as (typeof processes)[number]).openapi());

const listed = builtInRows.flatMap(({ name, calls }) => calls.map((call) => `${name} → ${call}`));

test('the authorizer lists internal operations only', () => {
  const internal = services.flatMap((provider) => internalOf(provider).map(({ id }) => `${provider}.${id}`));
  expect(listed.filter((one) => !internal.includes(String(one.split(' → ')[1])))).toEqual([]);
});

test('what a service calls is exactly what the authorizer lists', () => {
  const called = processes.flatMap(({ name, calls: { authorizer: _, ...others } }) =>
    Object.entries(others).flatMap(([provider, ids]) => ids.map((id) => `${name} → ${provider}.${id}`)),
  );
  expect(called.toSorted()).toEqual(listed.toSorted());
});

let directory: string;
let engines: Awaited<ReturnType<typeof openEngines>>;
let running: RunningService[];
let authorizerUrl: string;
let standIn: Authority;
/** Every service, with an authorizer that signs any identity. */
let urls: Record<string, string>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'boxoffice-callers-'));
  engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger: quiet, serves: [] });
  running = [];
  standIn = await openAuthority('pos');
  const start = async (definition: AnyService, authorizer?: string): Promise<string> => {
    const { name, collections, settings = {} } = definition;
    const others = services.map((other) => [`${other.toUpperCase()}_URL`, 'http://127.0.0.1:1']);
    const env = { KEY_ENCRYPTION_KEY: 'a key that is thrown away', SERVICE_ROOT_SECRET: ROOT };
    const service = await startService(definition, {
      store: await engines.store(name, collections),
      bus: engines.bus,
      authorizerUrl: authorizer,
      publicUrl: 'https://localhost:8443',
      serviceSecret: deriveServiceSecret(ROOT, name),
      host: '127.0.0.1',
      port: 0,
      logger: quiet,
      settings: readSettings(settings, { ...Object.fromEntries(others), ...env }),
    });
    running.push(service);
    return service.url;
  };
  authorizerUrl = await start(definitions.authorizer);
  const own = services.map(async (name) => {
    const definition = definitions[name as keyof typeof definitions];
    return [name, await start(definition, standIn.listening.url)] as const;
  });
  urls = Object.fromEntries(await Promise.all(own));
});
afterAll(async () => {
  for (const service of running.toReversed()) await service.close();
  await engines.close();
  await standIn.listening.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const ask = async (caller: string, secretOf: string, audience: string, operation: string): Promise<number> => {
  const response = await fetch(new URL(IDENTITIES_PATH, authorizerUrl), {
    method: 'POST',
    headers: {
      authorization: formatServiceAuthorization(caller, deriveServiceSecret(ROOT, secretOf)),
      'content-type': 'application/json',
    },
    body: JSON.stringify({ audience, institution: 'opera', operation }),
  });
  await response.text();
  return response.status;
};

describe.each(authenticated.map((name) => ({ caller: name })))('$caller', ({ caller }) => {
  test('gets an identity token for exactly the operations of its list', async () => {
    for (const provider of services) {
      for (const { id } of [...internalOf(provider), ...partnersOf(provider)]) {
        const expected = listed.includes(`${caller} → ${provider}.${id}`) ? 200 : 403;
        const status = await ask(caller, caller, provider, id);
        expect({ call: `${provider}.${id}`, status }).toEqual({ call: `${provider}.${id}`, status: expected });
      }
    }
  });

  test('gets none in the name of another process', async () => {
    for (const other of [...authenticated, 'authorizer', 'nobody'].filter((name) => name !== caller)) {
      expect([other, await ask(other, caller, 'catalog', 'findPointOfSale')]).toEqual([other, 401]);
    }
  });
});

test('the gateway cannot read contacts as pos', async () => {
  const call = { audience: 'contacts', institution: 'opera', operation: 'getContactInternally' };
  const secret = deriveServiceSecret(ROOT, 'gateway');
  const as = (service: string) => createServiceCredentials({ authorizerUrl, service, secret }).tokenFor(call);
  await expect(as('pos')).rejects.toThrow('SERVICE_SECRET is that of gateway, not of pos');
  await expect(as('gateway')).rejects.toThrow('gateway may not call getContactInternally of contacts');
});

test.each(services)(
  '%s: the identity of a service passes no operation of partners, even if one were signed',
  async (name) => {
    const scoped = partnersOf(name).filter(({ security }) => security.some((one) => 'oauth2' in one));
    expect(scoped.length > 0).toBe(name !== 'pos');
    for (const { id, method, path, security } of scoped) {
      const scopes = security.flatMap((one) => one.oauth2 ?? []);
      const caller = { institution: 'opera', client: null, service: 'pos', scopes, operation: id };
      const { status } = await fetch(new URL(path, urls[name]), {
        method,
        headers: { [IDENTITY_HEADER]: standIn.sign(name, caller) },
      });
      expect({ id, status }).toEqual({ id, status: 403 });
    }
  },
);

test.each(services)('%s serves what others rely on: internal operations, facts and calls', async (name) => {
  const served = await fetch(new URL('/internal/openapi.json', urls[name]));
  const { internal, publishes, consumes, calls } = processes.find((one) => one.name === name) as Process;
  const { paths } = internal();
  const expected = { paths, 'x-publishes': publishes, 'x-consumes': consumes, 'x-calls': calls };
  expect([served.status, await served.json()]).toEqual([200, expect.objectContaining(expected)]);
});
