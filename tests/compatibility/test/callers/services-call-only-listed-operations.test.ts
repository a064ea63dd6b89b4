import { type Description, listOperations } from '@boxoffice/codegen';
import { type Process, processes } from '@boxoffice/contracts';
import {
  createServiceCredentials,
  formatServiceAuthorization,
  IDENTITIES_PATH,
  IDENTITY_HEADER,
} from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';
import { builtInRows } from '@boxoffice/runtime/services';
import { type Authority, openAuthority } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { definitions, openScenario, type Scenario } from '../../src/scenario/open-scenario.ts';

/** Every process that authenticates at the authorizer. */
const authenticated = builtInRows.map(({ name }) => name).filter((name) => name !== 'authorizer');
const services = Object.keys(definitions).filter((name) => name !== 'authorizer');

/** The operations of a description, with a value for each path variable. */
const listCalls = (description: Description) =>
  [...listOperations(description).values()].map(({ name, operation }) => {
    const [method = '', path = ''] = name.replaceAll(/\{[^}]*\}/g, 'x').split(' ');
    return { id: operation.operationId, method, path, security: operation.security };
  });

const getProcess = (service: string) => processes.find(({ name }) => name === service) as Process;
const listInternalCalls = (service: string) => listCalls(getProcess(service).internal());
const listPartnerCalls = (service: string) => listCalls(getProcess(service).openapi());

const listed = builtInRows.flatMap(({ name, calls }) => calls.map((call) => `${name} → ${call}`));

test('the authorizer lists internal operations only', () => {
  const internal = services.flatMap((provider) => listInternalCalls(provider).map(({ id }) => `${provider}.${id}`));
  expect(listed.filter((one) => !internal.includes(String(one.split(' → ')[1])))).toEqual([]);
});

test('what a service calls is exactly what the authorizer lists', () => {
  const called = processes.flatMap(({ name, calls: { authorizer: _, ...others } }) =>
    Object.entries(others).flatMap(([provider, ids]) => ids.map((id) => `${name} → ${provider}.${id}`)),
  );
  expect(called.toSorted()).toEqual(listed.toSorted());
});

let standIn: Authority;
/** Every service, with an authorizer that signs any identity. */
let scenario: Scenario;

beforeAll(async () => {
  standIn = await openAuthority('pos');
  scenario = await openScenario({ authorizerUrl: standIn.listening.url });
});
afterAll(async () => {
  await scenario.close();
  await standIn.listening.close();
});

const deriveSecret = (process: string): string => deriveServiceSecret(scenario.serviceRootSecret, process);

const ask = async (caller: string, secretOf: string, audience: string, operation: string): Promise<number> => {
  const response = await fetch(new URL(IDENTITIES_PATH, scenario.urls.authorizer), {
    method: 'POST',
    headers: {
      authorization: formatServiceAuthorization(caller, deriveSecret(secretOf)),
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
      for (const { id } of [...listInternalCalls(provider), ...listPartnerCalls(provider)]) {
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
  const secret = deriveSecret('gateway');
  const authorizerUrl = String(scenario.urls.authorizer);
  const as = (service: string) => createServiceCredentials({ authorizerUrl, service, secret }).tokenFor(call);
  await expect(as('pos')).rejects.toThrow('SERVICE_SECRET is that of gateway, not of pos');
  await expect(as('gateway')).rejects.toThrow('gateway may not call getContactInternally of contacts');
});

test.each(services)(
  '%s: the identity of a service passes no operation of partners, even if one were signed',
  async (name) => {
    const scoped = listPartnerCalls(name).filter(({ security }) => security.some((one) => 'oauth2' in one));
    expect(scoped.length > 0).toBe(name !== 'pos');
    for (const { id, method, path, security } of scoped) {
      const scopes = security.flatMap((one) => one.oauth2 ?? []);
      const caller = { institution: 'opera', client: null, service: 'pos', scopes, operation: id };
      const { status } = await fetch(new URL(path, scenario.urls[name]), {
        method,
        headers: { [IDENTITY_HEADER]: standIn.sign(name, caller) },
      });
      expect({ id, status }).toEqual({ id, status: 403 });
    }
  },
);

test.each(services)('%s serves what others rely on: internal operations, facts and calls', async (name) => {
  const served = await fetch(new URL('/internal/openapi.json', scenario.urls[name]));
  const { internal, publishes, consumes, calls } = getProcess(name);
  const { paths } = internal();
  const expected = { paths, 'x-publishes': publishes, 'x-consumes': consumes, 'x-calls': calls };
  expect([served.status, await served.json()]).toEqual([200, expect.objectContaining(expected)]);
});
