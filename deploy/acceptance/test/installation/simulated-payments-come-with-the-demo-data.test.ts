import { readFileSync } from 'node:fs';
import { pos } from '@boxoffice/pos';
import { readSettings } from '@boxoffice/runtime';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Composition {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>;
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

describe('the composition takes simulated payments', () => {
  test.each([
    ['as it is: with the demo data', {}, 'demo data'],
    ['not without the demo data', { BOXOFFICE_DEMO: 'off' }, 'never'],
    ['without the demo data where it is said', { BOXOFFICE_DEMO: 'off', SIMULATED_PAYMENTS: 'on' }, 'always'],
    ['not with the demo data where that is said', { SIMULATED_PAYMENTS: 'off' }, 'never'],
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
])('a pos that runs alone, told %j, takes them: %s', (env, expected) => {
  expect(taken(env)).toBe(expected);
});

test('what is neither on nor off is told of the setting that it stands in', () => {
  expect(() => taken({ BOXOFFICE_DEMO: 'perhaps' })).toThrow(/^BOXOFFICE_DEMO: expected on or off/);
});
