import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pos } from '@boxoffice/pos';
import { deriveServiceSecret, readSettings } from '@boxoffice/runtime';
import { builtInRows } from '@boxoffice/runtime/services';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly tmpfs?: readonly string[];
}

interface Composition {
  readonly services: Readonly<Record<string, Service>>;
}

const file = new URL('../../../../docker-compose.yml', import.meta.url);
const composition: Composition = parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 });

/** The environment of a container when the composition starts with these variables, as Compose resolves them. */
const resolved = (container: string, variables: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(composition.services[container]?.environment ?? {}).map(([name, value]) => [
      name,
      String(value).replaceAll(
        /\$\{([A-Z_]+):-([^}]*)\}/g,
        (_, variable, otherwise) => variables[variable] || otherwise,
      ),
    ]),
  );

const { simulatedPayments } = pos.settings as NonNullable<typeof pos.settings>;
const taken = (env: Readonly<Record<string, string>>): string =>
  readSettings({ simulatedPayments }, env).simulatedPayments;

describe('the composition accepts simulated payments', () => {
  test.each([
    ['by default: with the demo data', {}, 'demo data'],
    ['not without the demo data', { BOXOFFICE_DEMO: 'off' }, 'never'],
    [
      'without the demo data if SIMULATED_PAYMENTS is on',
      { BOXOFFICE_DEMO: 'off', SIMULATED_PAYMENTS: 'on' },
      'always',
    ],
    ['not with the demo data if SIMULATED_PAYMENTS is off', { SIMULATED_PAYMENTS: 'off' }, 'never'],
  ])('%s', (_, variables, expected) => {
    expect(taken(resolved('pos', variables))).toBe(expected);
    const seeds = resolved('demo', variables).BOXOFFICE_DEMO;
    expect(seeds).toBe((variables as Record<string, string>).BOXOFFICE_DEMO ?? 'on');
  });
});

test.each([
  [{}, 'never'],
  [{ BOXOFFICE_DEMO: 'on' }, 'demo data'],
  [{ BOXOFFICE_DEMO: 'off' }, 'never'],
  [{ SIMULATED_PAYMENTS: 'on' }, 'always'],
])('a pos that runs alone with %j accepts them: %s', (env, expected) => {
  expect(taken(env)).toBe(expected);
});

test('a value other than on and off is refused with the name of the setting', () => {
  expect(() => taken({ BOXOFFICE_DEMO: 'perhaps' })).toThrow(/^BOXOFFICE_DEMO: expected on or off/);
});

const PROGRAM = fileURLToPath(new URL('../../../../deploy/compose/make-secrets.mjs', import.meta.url));

const services = builtInRows.map(({ name }) => name).filter((name) => name !== 'authorizer');

test('each container gets the secret that the authorizer derives for it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'boxoffice-secrets-'));
  mkdirSync(join(folder, 'own'));
  execFileSync(process.execPath, [PROGRAM], { env: { SECRETS_DIR: folder } });
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const root = read('authorizer/service-root-secret');
  expect(services.map((name) => read(`${name}/service-secret`))).toEqual(
    services.map((name) => deriveServiceSecret(root, name)),
  );
  rmSync(folder, { recursive: true });
});

// podman 4.3.1 (Debian 12), asked through the API of Docker by docker-compose 1.29: it splits each word of a health
// check at its spaces, so the check fails for ever, and it knows no owner of a tmpfs.
describe('podman runs the composition, too', () => {
  const services = Object.entries(composition.services);

  test('no word of a health check has a space', () => {
    const checks = services.flatMap(([, { healthcheck }]) => healthcheck?.test ?? []);
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.filter((word) => word.includes(' '))).toEqual([]);
  });

  test('a tmpfs has a mode, and no owner', () => {
    const mounts = services.flatMap(([, { tmpfs = [] }]) => tmpfs);
    expect(mounts).toContain('/var/log/rabbitmq:mode=1777');
    expect(mounts.filter((mount) => /[:,][ug]id=/.test(mount))).toEqual([]);
  });
});
