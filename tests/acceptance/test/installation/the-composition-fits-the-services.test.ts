import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { payments } from '@boxoffice/payments';
import { pos } from '@boxoffice/pos';
import { deriveServiceSecret, readSettings } from '@boxoffice/runtime';
import { builtInRows } from '@boxoffice/runtime/services';
import type { Json } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** A file of the repository. */
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** Every service of the product in this checkout; those of teams have files of their own. */
const services = builtInRows.map(({ name }) => {
  const [path = ''] = globSync(`{${name},services/${name}}/package.json`, { cwd: repository });
  return { name, version: String(JSON.parse(read(path)).version) };
});

/** The composition, with its anchors resolved. */
const composition: Json = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 });

/** The names of all settings that the product's sources mention. */
const knownSettings: ReadonlySet<string> = new Set(
  globSync('{libs,gateway,authorizer,services,deploy/operator,deploy/local}/**/src/**/*.ts', { cwd: repository })
    .filter((path) => !path.includes('node_modules'))
    .flatMap((path) => read(path).match(/'[A-Z][A-Z0-9_]+'/g) ?? [])
    .map((quoted) => quoted.slice(1, -1)),
);

const containers = Object.entries<Json>(composition.services);
const getContainer = (name: string): Json => {
  const found = composition.services[name];
  if (!found) throw new Error(`${name} is not in the composition`);
  return found;
};
/** `${NAME:-standard}` → `standard` */
const standard = (text: string): string => text.replace(/^\$\{[A-Z_]+:-(.*)\}$/, '$1');

/** The environment of a container when the composition starts with these variables, as Compose resolves them. */
const resolveEnvironment = (
  name: string,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(getContainer(name).environment ?? {}).map(([setting, value]) => [
      setting,
      String(value).replaceAll(/\$\{([A-Z_]+):-([^}]*)\}/g, (_, one, otherwise) => variables[one] || otherwise),
    ]),
  );

test('every service is there, and every address leads to one', () => {
  const addresses = new Map(services.map(({ name }) => [`${name.toUpperCase()}_URL`, `http://${name}:8081`]));
  for (const { name } of services)
    for (const [setting, value] of Object.entries(getContainer(name).environment ?? {}))
      if (addresses.has(setting)) expect(value).toBe(addresses.get(setting));
  for (const { name } of services.filter(({ name: one }) => one !== 'gateway'))
    expect(getContainer('gateway').environment?.[`${name.toUpperCase()}_URL`]).toBeDefined();
});

describe.each(services)('$name', ({ name, version }) => {
  const own = getContainer(name);

  test('is built by the Dockerfile as the version of its package', () => {
    expect(standard(own.image)).toBe(`boxoffice/${name}:${version}`);
    expect(own.build).toMatchObject({ dockerfile: 'deploy/Dockerfile', args: { SERVICE: name, VERSION: version } });
    expect(read('deploy/Dockerfile')).toContain('for service in gateway authorizer $(ls services) operator;');
  });

  test('reads its secrets from files of a volume that only it mounts', () => {
    const volume = `secrets-${name}:/run/boxoffice:ro`;
    expect(own.volumes).toContain(volume);
    const others = containers.filter(([, { volumes = [] }]) =>
      volumes.some((one: string) => one.startsWith(`secrets-${name}:`)),
    );
    expect(others.map(([other]) => other).sort()).toEqual([name, 'secrets'].sort());
    const setting = name === 'authorizer' ? 'SERVICE_ROOT_SECRET' : 'SERVICE_SECRET';
    const given = Object.entries(own.environment ?? {}).filter(([key]) => /^SERVICE_(ROOT_)?SECRET/.test(key));
    expect(given).toEqual([[`${setting}_FILE`, `/run/boxoffice/${setting.toLowerCase().replaceAll('_', '-')}`]]);
  });

  test('has only settings that the product reads, and restarts by itself', () => {
    const unknown = Object.keys(own.environment ?? {}).filter(
      (key) => !knownSettings.has(key) && !knownSettings.has(key.replace(/_FILE$/, '')),
    );
    expect(unknown).toEqual([]);
    expect(own.restart).toBe('unless-stopped');
  });
});

test('only the gateway and the proxy are published; beside them only events, payments and the operator have a way out', () => {
  expect(containers.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['gateway', 'proxy']);
  const outside = Object.entries<Json>(composition.networks).filter(([, network]) => network?.internal !== true);
  expect(outside.map(([name]) => name)).toEqual(['front', 'out']);
  expect(containers.filter(([, { networks = [] }]) => networks.includes('front')).map(([name]) => name)).toEqual([
    'gateway',
    'proxy',
  ]);
  expect(containers.filter(([, { networks = [] }]) => networks.includes('out')).map(([name]) => name)).toEqual([
    'events',
    'payments',
    'operator',
  ]);
  expect(getContainer('gateway').networks).toEqual(['front', 'inner']);
});

test.each(containers)('%s has no more rights than it needs', (_, given) => {
  expect(given).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.any(String),
    pids_limit: expect.any(Number),
    restart: expect.any(String),
    logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
  });
});

test('a setting that several processes read has one value in all of them', () => {
  for (const name of ['orders', 'payments'])
    expect(resolveEnvironment(name, { PAYMENT_GRACE_SECONDS: '2400' }).PAYMENT_GRACE_SECONDS).toBe('2400');
});

test('the files contain no secret', () => {
  const literal = containers.flatMap(([name, { environment = {} }]) =>
    Object.entries<string>(environment)
      .filter(
        ([key, value]) =>
          /SECRET|PASSWORD|KEY|MONGODB_URL|AMQP_URL/.test(key) && !/_FILE$/.test(key) && standard(value) !== '',
      )
      .map(([key]) => `${name}: ${key}`),
  );
  expect(literal).toEqual([]);
  expect(read('docker-compose.yml')).not.toMatch(/(mongodb|amqps?):\/\/[^/\s]*@/);
});

test('the images run without root, and check their own health', () => {
  const dockerfile = read('deploy/Dockerfile');
  const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  expect(final).toMatch(/^USER 65532:65532$/m);
  expect(final).toMatch(/^HEALTHCHECK .*CMD \["\/usr\/local\/bin\/node", /m);
  expect(final).not.toMatch(/^RUN /m);
  expect(dockerfile.match(/^ARG (BUILD_)?BASE=.*$/gm)?.every((base) => /@sha256:[0-9a-f]{64}$/.test(base))).toBe(true);
});

/** The default of the engine. */
const DEFAULT = 1_024;

const shareOf = (name: string): number => composition.services[name]?.cpu_shares ?? DEFAULT;

/** Who waits for whom during a request, in the composition of the example. */
const waitsFor: readonly (readonly [string, readonly string[]])[] = [
  ['pos', ['catalog', 'contacts', 'tickets', 'payments']],
  ['orders', ['catalog', 'contacts', 'tickets']],
  ['catalog', ['authorizer', 'gateway']],
  ['tickets', ['authorizer', 'gateway']],
  ['contacts', ['authorizer', 'gateway']],
  ['payments', ['authorizer', 'gateway']],
  ['authorizer', ['mongodb', 'rabbitmq']],
];

test('a container gets less of a contended processor than those that its requests wait for', () => {
  for (const [caller, called] of waitsFor) {
    for (const name of called)
      expect([name, shareOf(name)]).toEqual([name, Math.max(shareOf(name), shareOf(caller) * 2)]);
  }
});

test('one-shot containers get the smallest share', () => {
  for (const name of ['topology', 'operator', 'demo']) expect(shareOf(name)).toBeLessThan(DEFAULT);
});

describe('simulated payments', () => {
  const { simulatedPayments } = pos.settings as NonNullable<typeof pos.settings>;
  const readSetting = (env: Readonly<Record<string, string>>): string =>
    readSettings({ simulatedPayments }, env).simulatedPayments;

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['by default: with the demo data', 'demo data', {}],
    ['not without the demo data', 'never', { BOXOFFICE_DEMO: 'off' }],
    [
      'without the demo data if SIMULATED_PAYMENTS is on',
      'always',
      { BOXOFFICE_DEMO: 'off', SIMULATED_PAYMENTS: 'on' },
    ],
    ['not with the demo data if SIMULATED_PAYMENTS is off', 'never', { SIMULATED_PAYMENTS: 'off' }],
  ])('the composition accepts them %s', (_, expected, variables) => {
    expect(readSetting(resolveEnvironment('pos', variables))).toBe(expected);
    expect(resolveEnvironment('demo', variables).BOXOFFICE_DEMO).toBe(variables.BOXOFFICE_DEMO ?? 'on');
  });

  test.each([
    [{}, 'never'],
    [{ BOXOFFICE_DEMO: 'on' }, 'demo data'],
    [{ BOXOFFICE_DEMO: 'off' }, 'never'],
    [{ SIMULATED_PAYMENTS: 'on' }, 'always'],
  ])('a pos that runs alone with %j accepts them: %s', (env, expected) => {
    expect(readSetting(env)).toBe(expected);
  });

  test('a value other than on and off is refused with the name of the setting', () => {
    expect(() => readSetting({ BOXOFFICE_DEMO: 'perhaps' })).toThrow(/^BOXOFFICE_DEMO: expected on or off/);
  });
});

describe('the simulated payment provider', () => {
  const { paymentSimulator } = payments.settings as NonNullable<typeof payments.settings>;
  const readSetting = (env: Readonly<Record<string, string>>): boolean =>
    readSettings({ paymentSimulator }, env).paymentSimulator;

  test.each<[string, boolean, Readonly<Record<string, string>>]>([
    ['by default: with the demo data', true, {}],
    ['not without the demo data', false, { BOXOFFICE_DEMO: 'off' }],
    ['without the demo data if PAYMENT_SIMULATOR is on', true, { BOXOFFICE_DEMO: 'off', PAYMENT_SIMULATOR: 'on' }],
    ['not with the demo data if PAYMENT_SIMULATOR is off', false, { PAYMENT_SIMULATOR: 'off' }],
  ])('has keys in the composition %s', (_, expected, variables) => {
    for (const name of ['payments', 'operator'])
      expect([name, readSetting(resolveEnvironment(name, variables))]).toEqual([name, expected]);
  });

  test('has none in a service that runs alone, unless it is told so', () => {
    expect(readSetting({})).toBe(false);
    expect(readSetting({ BOXOFFICE_DEMO: 'on' })).toBe(true);
    expect(readSetting({ PAYMENT_SIMULATOR: 'on' })).toBe(true);
  });

  test('a value other than on and off is refused with the name of the setting', () => {
    expect(() => readSetting({ BOXOFFICE_DEMO: 'perhaps' })).toThrow(/^BOXOFFICE_DEMO: expected on or off/);
  });
});

// podman 4.3.1 (Debian 12), asked through the API of Docker by docker-compose 1.29: it splits each word of a health
// check at its spaces, so the check fails for ever, and it knows no owner of a tmpfs.
test('podman runs the composition, too: no word of a health check has a space, and a tmpfs has a mode and no owner', () => {
  const checks = containers.flatMap(([, { healthcheck }]) => healthcheck?.test ?? []);
  expect(checks.length).toBeGreaterThan(0);
  expect(checks.filter((word) => word.includes(' '))).toEqual([]);
  const mounts = containers.flatMap(([, { tmpfs = [] }]) => tmpfs);
  expect(mounts).toContain('/var/log/rabbitmq:mode=1777');
  expect(mounts.filter((mount) => /[:,][ug]id=/.test(mount))).toEqual([]);
});

const PROGRAM = fileURLToPath(new URL('../../../../deploy/compose/make-secrets.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'boxoffice-secrets-'));
const make = (env: Record<string, string> = {}): void => {
  execFileSync(process.execPath, [PROGRAM], { env: { SECRETS_DIR: folder, ...env } });
};
const files = (): Record<string, string> =>
  Object.fromEntries(
    globSync('*/*', { cwd: folder })
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
let first: Record<string, string>;

beforeAll(() => {
  mkdirSync(join(folder, 'own'));
  make();
  first = files();
});
afterAll(() => rmSync(folder, { recursive: true }));

const passwordIn = (url: string | undefined): string => new URL(String(url)).password;

test('every user has a password of its own, of 256 bits', () => {
  const passwords = Object.entries(first)
    .filter(([path]) => /-url$/.test(path))
    .map(([, url]) => passwordIn(url));
  expect(passwords.length).toBe(18);
  expect(new Set(passwords).size).toBe(18);
  for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test('a container reads what it needs and nothing of the others', () => {
  const given = (name: string) =>
    Object.keys(first)
      .filter((path) => path.startsWith(`${name}/`))
      .map((path) => path.slice(name.length + 1));
  expect(given('gateway')).toEqual(['service-secret']);
  expect(given('orders')).toEqual(['amqp-url', 'mongodb-url', 'service-secret']);
  expect(given('authorizer')).toEqual(['amqp-url', 'key-encryption-key', 'mongodb-url', 'service-root-secret']);
  expect(given('payments')).toEqual(['amqp-url', 'key-encryption-key', 'mongodb-url', 'service-secret']);
  const keys = ['authorizer', 'events', 'payments'].map((name) => first[`${name}/key-encryption-key`]);
  expect(new Set(keys).size).toBe(3);
  const orders = passwordIn(first['orders/mongodb-url']);
  const containing = Object.entries(first).filter(([, text]) => text.includes(orders));
  expect(containing.map(([path]) => path)).toEqual(['mongodb/users.json', 'orders/mongodb-url', 'own/secrets.json']);
});

test('the file with all of them is its owner’s alone, also one that an earlier start left open', () => {
  const own = join(folder, 'own/secrets.json');
  const mode = () => statSync(own).mode & 0o777;
  expect(mode()).toBe(0o600);
  chmodSync(own, 0o444);
  make();
  expect(mode()).toBe(0o600);
});

test('only the authorizer and the operator have the root, of which each container’s secret is derived', () => {
  const root = String(first['authorizer/service-root-secret']);
  const containing = Object.entries(first).filter(([, text]) => text.includes(root));
  expect(containing.map(([path]) => path)).toEqual([
    'authorizer/service-root-secret',
    'operator/service-root-secret',
    'own/secrets.json',
  ]);
  const others = services.map(({ name }) => name).filter((name) => name !== 'authorizer');
  expect(others.map((name) => first[`${name}/service-secret`])).toEqual(
    others.map((name) => deriveServiceSecret(root, name)),
  );
});

test('RabbitMQ gets hashes that fit the passwords, and no guest', () => {
  const { users, permissions } = JSON.parse(String(first['rabbitmq/definitions.json']));
  expect(users.map(({ name }: { name: string }) => name)).not.toContain('guest');
  expect(permissions).toHaveLength(users.length);
  for (const { name, password_hash } of users) {
    const bytes = Buffer.from(password_hash, 'base64');
    const password = passwordIn(first[`${name}/amqp-url`]);
    expect(createHash('sha256').update(bytes.subarray(0, 4)).update(password).digest()).toEqual(bytes.subarray(4));
  }
});

test('the next start keeps what exists and writes lost files again', () => {
  unlinkSync(join(folder, 'orders/mongodb-url'));
  make();
  const second = files();
  delete second['rabbitmq/definitions.json'];
  const { 'rabbitmq/definitions.json': _salted, ...unsalted } = first;
  expect(second).toEqual(unsalted);
});

test('MONGODB_URL replaces the MongoDB of the composition', () => {
  make({ MONGODB_URL: 'mongodb://elsewhere/boxoffice' });
  expect(files()['orders/mongodb-url']).toBe('mongodb://elsewhere/boxoffice');
});
