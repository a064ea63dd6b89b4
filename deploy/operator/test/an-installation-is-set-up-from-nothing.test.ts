import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';

const MAIN = new URL('../src/main.ts', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'boxoffice-operator-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs one command as an operator would; answers its status and what it printed. */
const operator = async (...words: readonly string[]) => {
  const child = spawn('node', ['--conditions=source', MAIN, ...words], {
    env: { PATH: process.env.PATH, BOXOFFICE_DATA_DIR: directory, KEY_ENCRYPTION_KEY: 'a key of the operator tests' },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [status] = await once(child, 'close');
  return { status, out, err };
};
const json = async (...words: readonly string[]) => JSON.parse((await operator(...words, '--json')).out);

describe('an installation is set up from nothing', () => {
  test('an institution, a point of sale, a client whose secret is told once', async () => {
    const club = ['institutions', 'create', 'club', '--name', 'Jazz Club', '--currency', 'EUR', '--languages', 'en,fr'];
    expect(await json(...club)).toEqual({ id: 'club', name: 'Jazz Club', currency: 'EUR', languages: ['en', 'fr'] });
    expect(await json('institutions', 'list')).toHaveLength(1);
    expect((await operator(...club)).err).toContain('exists already');

    expect((await operator('points-of-sale', 'create', 'club', 'jazz.example', '--name', 'Web')).status).toBe(0);
    const [pointOfSale] = await json('points-of-sale', 'list', 'club');
    expect(pointOfSale).toMatchObject({ serviceHost: 'jazz.example', currency: 'EUR', paymentMethods: ['external'] });

    const created = await json('clients', 'create', 'club', '--name', 'web', '--scopes', 'catalog:read');
    expect(created.clientSecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const listed = await operator('clients', 'list', 'club', '--json');
    expect(listed.out).toContain(created.clientId);
    expect(listed.out).not.toContain(created.clientSecret);
    const second = await json('clients', 'add-secret', 'club', created.clientId);
    expect(second.clientSecret).not.toBe(created.clientSecret);
    expect((await operator('clients', 'add-secret', 'club', created.clientId)).err).toContain('2 secrets');
  }, 60_000);

  test('keys, dead letters, demo data', async () => {
    const first = await json('keys', 'rotate');
    const next = await json('keys', 'rotate');
    expect(next.generation).toBe(first.generation + 1);
    expect((await operator('keys', 'list')).out).toContain(next.kid);
    expect(await json('dead-letters', 'list')).toEqual([]);
    expect((await operator('dead-letters', 'replay', 'nothing')).err).toContain('no dead letter nothing');
    expect((await json('demo', 'status')).demoData).toBe('none');
  }, 60_000);

  test('what is typed wrongly is said, with the usage, and changes nothing', async () => {
    const unknown = await operator('clients', 'nonsense');
    expect(unknown.status).toBe(2);
    expect(unknown.err).toContain('clients create INSTITUTION');
    const missing = await operator('clients', 'create');
    expect(missing.status).toBe(1);
    expect(missing.err).toContain('INSTITUTION is missing');
    expect((await operator('clients', 'create', 'opera', '--name', 'x', '--scopes', 'all')).err).toContain(
      'there is no institution opera',
    );
    expect((await operator('clients', 'create', 'club', '--name', 'x', '--scopes', 'moon:read')).err).toContain(
      'moon:read',
    );
    expect((await operator('--help')).out).toContain('keys rotate');
  }, 60_000);
});
