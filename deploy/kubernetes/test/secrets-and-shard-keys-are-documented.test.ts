import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { formatResourceName, type Json, type Resource, renderFolder } from '../src/index.ts';
import { product } from './product.ts';
import { applicable, base, findPodTemplate, findSurroundings, repository } from './resources.ts';

const page = readFileSync(join(base, '../README.md'), 'utf8');
/** The rows of the documented table of Secrets, by name. */
const documented = new Map<string, string[]>();
for (const [, name = '', keys = ''] of page.matchAll(/^\| `(boxoffice-[a-z]+)` *\| ([^|]+) \|/gm))
  documented.set(name, [
    ...(documented.get(name) ?? []),
    ...[...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key),
  ]);

/** Every key of a Secret that an object requires, as `name key`. */
const listNeeded = (resource: Resource, resources: readonly Resource[]): string[] => {
  const { kind, spec } = resource;
  if (findPodTemplate(resource)) {
    const files = [...findSurroundings(resource, resources).files.values()];
    return files.flatMap(({ from, key }) =>
      from.startsWith('Secret/') ? [`${from.slice('Secret/'.length)} ${key}`] : [],
    );
  }
  if (kind === 'TriggerAuthentication') return spec.secretTargetRef.map(({ name, key }: Json) => `${name} ${key}`);
  if (kind === 'Ingress')
    return spec.tls.flatMap(({ secretName }: Json) => ['tls.crt', 'tls.key'].map((key) => `${secretName} ${key}`));
  return [];
};
const all = applicable.flatMap((folder) => {
  const resources = renderFolder(folder);
  return resources.flatMap((resource) => listNeeded(resource, resources));
});
/** The Secrets of the TLS component are described together, by their pattern. */
const certificates = (key: string): boolean => /^boxoffice-[a-z]+-tls /.test(key);

describe('the page', () => {
  test('documents every Secret that is needed, key by key, and no other', () => {
    const keys = [...documented].flatMap(([name, its]) => its.map((key) => `${name} ${key}`));
    expect(keys.sort()).toEqual([...new Set(all)].filter((key) => !certificates(key)).sort());
    expect(all.some(certificates) && page.includes('`boxoffice-<service>-tls`')).toBe(true);
  });

  test('has a script that creates each of them, key by key, except the certificate of the Ingress', () => {
    const commands = readFileSync(join(base, '../secrets.sh'), 'utf8');
    // openssl and kubectl are replaced by shell functions; the second prints its arguments.
    const stands =
      'openssl() { echo key; }; npm() { :; }; kubectl() { printf "%s\\n" "$*"; }; touch keda.amqp mail.smtp';
    const folder = mkdtempSync(join(tmpdir(), 'boxoffice-secrets-'));
    const env = { ...process.env, BOXOFFICE: repository };
    const said = execFileSync('sh', ['-euc', `${stands}\n${commands}`], { cwd: folder, encoding: 'utf8', env });
    rmSync(folder, { recursive: true });
    const made = [...said.matchAll(/create secret generic (\S+) (.*)/g)].flatMap(([, name, files = '']) =>
      [...files.matchAll(/--from-file=([^=\s]+)/g)].map(([, key]) => `${name} ${key}`),
    );
    const wanted = [...new Set(all)].filter((key) => !certificates(key) && !key.startsWith('boxoffice-tls '));
    expect(made.sort()).toEqual(wanted.sort());
  });

  test('gives a shard key for every collection of every service', () => {
    for (const { name, folder } of product.filter((one) => one.name !== 'gateway')) {
      const source = readFileSync(join(repository, folder, 'src/store.ts'), 'utf8');
      const collections = [...source.matchAll(/collection<\w+>\(\s*'([a-z_]+)'/g)].map(([, found = '']) => found);
      expect(collections).not.toEqual([]);
      const rows = page
        .split('\n')
        .filter((line) => line.startsWith(`| ${name}: `))
        .join('\n');
      expect(collections.filter((one) => !rows.includes(`\`${one}\``))).toEqual([]);
    }
  });

  test('names every component', () => {
    for (const component of readdirSync(join(base, '../components')))
      expect(page).toContain(`\`components/${component}\``);
  });
});

test('no manifest contains a Secret or a secret setting in plain text', () => {
  const open = applicable.flatMap(renderFolder).flatMap((resource) => {
    if (resource.kind === 'Secret') return [formatResourceName(resource)];
    return [
      ...JSON.stringify(resource).matchAll(
        /"(?:name":")?(MONGODB_URL|AMQP_URL|MAIL_URL|SERVICE_(?:ROOT_)?SECRET|KEY_ENCRYPTION_KEY)"/g,
      ),
    ].map(([, name]) => `${formatResourceName(resource)} ${name}`);
  });
  expect(open).toEqual([]);
});
