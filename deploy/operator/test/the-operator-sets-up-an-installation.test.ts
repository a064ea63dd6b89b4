import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createClub, createOperator, createTemporaryDirectory, type Ran } from './program.ts';

const MAIN = new URL('../src/main.ts', import.meta.url).pathname;
const directory = createTemporaryDirectory();

const operator = createOperator(directory, { KEY_ENCRYPTION_KEY: 'a key of the operator tests' });
/** The JSON that a command line of single words prints. */
const json = async (line: string) => JSON.parse((await operator(...line.split(' '), '--json')).out);

describe('an installation is set up from nothing', () => {
  test('an institution and a point of sale', async () => {
    const club = 'institutions create club --name Jazz --currency EUR --languages en,fr';
    expect(await json(club)).toEqual({ id: 'club', name: 'Jazz', currency: 'EUR', languages: ['en', 'fr'] });
    expect(await json('institutions list')).toHaveLength(1);
    expect((await operator(...club.split(' '))).err).toContain('exists already');

    expect(await json('points-of-sale create club jazz.example --name Web')).toEqual({
      message: 'jazz.example is open',
    });
    const [pointOfSale] = await json('points-of-sale list club');
    expect(await json('points-of-sale show club Jazz.Example')).toEqual(pointOfSale);
    expect(pointOfSale).toMatchObject({ serviceHost: 'jazz.example', currency: 'EUR', paymentMethods: ['external'] });
  });

  test('the head of its receipts, set member by member, of several lines, and removed', async () => {
    const receipt = async (...options: readonly string[]) => {
      const { status, out, err } = await operator('institutions', 'receipt', 'club', ...options, '--json');
      return status === 0 ? JSON.parse(out) : [status, err.split('\n', 1)[0]];
    };
    const none = { message: 'club has no head of receipts' };
    expect(await receipt()).toEqual(none);
    expect(await receipt('--tax-number', 'DE 1')).toEqual([2, 'operator: --name is missing: who sells']);
    const named = { name: 'Jazz Club e.V.', address: null, taxNumber: null };
    expect(await receipt('--name', 'Jazz Club e.V.')).toEqual(named);
    const whole = { ...named, address: 'Hofgasse 1\n10115 Berlin', taxNumber: 'DE 1' };
    expect(await receipt('--address', 'Hofgasse 1\\n10115 Berlin', '--tax-number', 'DE 1')).toEqual(whole);
    expect(await receipt()).toEqual(whole);
    expect((await operator('institutions', 'receipt', 'club')).out).toMatch(/^name +Jazz Club e\.V\.$/m);
    expect(await receipt('--tax-number', '')).toEqual({ ...whole, taxNumber: null });
    expect(await receipt('--address', 'x'.repeat(501))).toEqual([1, expect.stringContaining('$.address')]);
    expect(await receipt('--remove', '--name', 'x')).toEqual([2, expect.stringContaining('--remove takes all')]);
    expect(await receipt('--remove')).toEqual(none);
    expect((await operator('institutions', 'receipt', 'nobody')).err).toContain('no institution nobody');
  });

  const browsers = '--origins https://www.club.example,http://localhost:5173 --third-party';
  const opened = { origins: ['https://www.club.example', 'http://localhost:5173'], thirdParty: true };

  test('a client, whose secret is printed once', async () => {
    const created = await json('clients create club --name web --scopes catalog:read');
    expect(created.clientSecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const listed = await operator('clients', 'list', 'club', '--json');
    expect(listed.out).toContain(created.clientId);
    expect(listed.out).not.toContain(created.clientSecret);
    const update = `clients update club ${created.clientId}`;
    const extended = await json(`${update} --add-scopes orders:read,catalog:read`);
    expect(extended.scopes).toEqual(['catalog:read', 'orders:read']);
    const renamed = await json(`${update} --name shop --scopes all`);
    expect(renamed).toMatchObject({ clientId: created.clientId, name: 'shop' });
    expect(renamed.scopes).toContain('orders:write');
    expect(await json(`${update} ${browsers}`)).toMatchObject(opened);
    const closed = await operator(...update.split(' '), '--origins', '', '--no-third-party', '--json');
    expect(JSON.parse(closed.out)).toMatchObject({ name: 'shop', origins: [], thirdParty: false });
    const second = await json(`clients add-secret club ${created.clientId}`);
    expect(second.clientSecret).not.toBe(created.clientSecret);
    expect((await operator('clients', 'add-secret', 'club', created.clientId)).err).toContain('2 secrets');
  });

  test('a public client, and one with bounds', async () => {
    const app = await json(`clients create club --name app --scopes catalog:read --public ${browsers}`);
    expect(app).toMatchObject({ type: 'public', ...opened });
    await operator('clients', 'delete', 'club', app.clientId);
    const reseller = 'clients create club --name reseller --scopes orders:read --own-orders';
    const bounded = await json(`${reseller} --points-of-sale Jazz.Example`);
    expect(bounded.bounds).toEqual({ ownOrders: true, pointsOfSale: ['jazz.example'] });
    const limited = await json(`${reseller} --on-account --reservation-days 30 --held-places 40`);
    expect(limited.bounds).toEqual({
      ownOrders: true,
      pointsOfSale: [],
      ...{ onAccount: true, reservationDays: 30, heldPlaces: 40 },
    });
    await operator('clients', 'delete', 'club', limited.clientId);
    const rebound = async (...options: readonly string[]) => {
      const { out } = await operator('clients', 'update', 'club', bounded.clientId, ...options, '--json');
      return JSON.parse(out).bounds;
    };
    expect(await rebound('--points-of-sale', '')).toEqual({ ownOrders: true, pointsOfSale: [] });
    expect(await rebound('--no-own-orders')).toEqual({ ownOrders: false, pointsOfSale: [] });
    expect((await operator('clients', 'list', 'club')).out).toContain('{"ownOrders":false,"pointsOfSale":[]}');
    const administers = await operator('clients', 'update', 'club', bounded.clientId, '--scopes', 'users:read');
    expect([administers.status, administers.err]).toEqual([1, expect.stringContaining('cannot have users:read')]);
    expect(await rebound('--unbounded')).toBeNull();
    await operator('clients', 'delete', 'club', bounded.clientId);
  });

  test('keys, dead letters, demo data', async () => {
    const first = await json('keys rotate');
    const next = await json('keys rotate');
    expect(next.generation).toBe(first.generation + 1);
    expect((await operator('keys', 'list')).out).toContain(next.kid);
    // Signs at once, whatever key the others are encrypted under.
    const another = createOperator(directory, { KEY_ENCRYPTION_KEY: 'another key of the operator tests' });
    const compromised = await another('keys', 'rotate', '--compromised', '--json');
    expect(JSON.parse(compromised.out).generation).toBe(next.generation + 1);
    expect(await json('dead-letters list')).toEqual([]);
    expect((await operator('dead-letters', 'replay', 'nothing')).err).toContain('no dead letter nothing');
    expect((await json('demo status')).demoData).toBe('none');
  });

  test('webhooks of a known institution are listed, unknown ones are refused with a reason', async () => {
    expect(await json('webhooks list club')).toEqual([]);
    expect((await operator('webhooks', 'list', 'nobody')).status).toBe(1);
    const deleted = await operator('webhooks', 'delete', 'club', 'whk_none');
    expect([deleted.status, deleted.err]).toEqual([1, expect.stringContaining('no webhook with this id')]);
    expect((await operator('webhooks', 'pause', 'club')).status).toBe(2);
  });

  test.each([
    [2, 'clients create INSTITUTION', 'clients nonsense'],
    [2, 'INSTITUTION is missing', 'clients create'],
    [2, 'INSTITUTION and CLIENT_ID are missing', 'clients delete'],
    [2, '--name is missing', 'clients create club --scopes all'],
    [2, 'nothing to change', 'clients update club cli_x'],
    [2, 'leave out --scopes', 'clients update club cli_x --scopes all --add-scopes orders:read'],
    [2, 'leave out --own-orders', 'clients update club cli_x --unbounded --own-orders'],
    [1, 'cannot have catalog:write', 'clients create club --name x --scopes all --own-orders'],
    [2, 'whole number', 'clients create club --name x --scopes orders:read --held-places many'],
    [
      1,
      'club has no point of sale nowhere',
      'clients create club --name x --scopes orders:read --points-of-sale nowhere',
    ],
    [1, '$.origins[0]', 'clients create club --name x --scopes all --origins club.example'],
    [2, '--name is blank', ['clients', 'create', 'club', '--name', '\u3164', '--scopes', 'all']],
    [2, '--name is blank', ['institutions', 'create', 'a', '--name', 'A\nB', '--currency', 'EUR']],
    [2, 'at most 100 fit', ['clients', 'create', 'club', '--name', 'x'.repeat(101), '--scopes', 'all']],
    [2, 'at most 200 fit', ['institutions', 'create', 'a', '--name', 'x'.repeat(201), '--currency', 'EUR']],
    [2, 'Club: unexpected; quote a text of several words', 'institutions create jazz --name Jazz Club'],
    [2, 'there is no scope moon:read', 'clients create club --name x --scopes moon:read'],
    [2, 'Unknown option', 'institutions list --jsom'],
    [1, 'there is no institution opera', 'clients create opera --name x --scopes all'],
    [1, 'there is no institution opera', 'clients list opera'],
    [1, 'there is no institution opera', 'points-of-sale list opera'],
    [1, 'no point of sale nowhere', 'points-of-sale show club nowhere'],
    [1, 'ISO 4217', 'institutions create a --name A --currency ABC --languages en'],
    [1, 'holds no certificate', ['demo', 'seed', '--ca-file', import.meta.filename]],
    [1, 'it does not exist', 'demo seed --ca-file /nowhere'],
  ])('status %i, "%s": %j', async (status, complaint, words) => {
    const refused = await operator(...(typeof words === 'string' ? words.split(' ') : words));
    expect(refused.err).toContain(complaint);
    expect(refused.status).toBe(status);
    expect(refused.out).toBe('');
  });

  test('refused commands change nothing', async () => {
    expect(await json('institutions list')).toHaveLength(1);
    expect(await json('clients list')).toHaveLength(1);
    const help = await operator('--help');
    expect(help).toMatchObject({ status: 0, out: expect.stringContaining('keys rotate') });
  });

  test('its process ends with the status, and its files are readable by their owner only', async () => {
    const own = createTemporaryDirectory();
    const operated = (...words: readonly string[]): Promise<Ran> =>
      new Promise((resolve) => {
        const env = { PATH: process.env.PATH, BOXOFFICE_DATA_DIR: own };
        const child = execFile('node', ['--conditions=source', MAIN, ...words], { env }, (_error, out, err) =>
          resolve({ status: child.exitCode, out, err }),
        );
      });
    const [refused, created] = [await operated('institutions', 'list'), await createClub(operated)];
    expect(refused).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/^operator: there is no [^\n]*\n$/),
    });
    expect(created).toMatchObject({ status: 0, out: expect.stringContaining('club'), err: '' });
    const modes = readdirSync(own).map((name) => statSync(join(own, name)).mode & 0o77);
    expect(modes.length).toBeGreaterThan(0);
    expect(modes.filter((mode) => mode !== 0)).toEqual([]);
  });
});

test('a mistyped data directory is reported and not created', async () => {
  const mistyped = join(createTemporaryDirectory(), 'dta');
  const operator = createOperator(mistyped, { KEY_ENCRYPTION_KEY: 'a key of the operator tests' });
  for (const words of [
    ['institutions', 'list'],
    ['keys', 'rotate'],
    ['dead-letters', 'list'],
    ['demo', 'status'],
  ]) {
    const refused = await operator(...words);
    expect(refused.status).toBe(1);
    expect(refused.err).toBe(
      `operator: there is no installation in ${mistyped} (BOXOFFICE_DATA_DIR); institutions create or npm start creates one\n`,
    );
  }
  expect(existsSync(mistyped)).toBe(false);
});

test('commands on stores need no broker; dead-letter commands do', async () => {
  const operator = createOperator(createTemporaryDirectory(), {
    AMQP_URL: 'amqp://127.0.0.1:1',
    KEY_ENCRYPTION_KEY: 'a key of the operator tests',
  });
  expect(await createClub(operator)).toMatchObject({ status: 0, err: '' });
  for (const words of [
    ['clients', 'create', 'club', '--name', 'x'],
    ['keys', 'rotate'],
    ['demo', 'status'],
  ]) {
    expect(await operator(...words)).toMatchObject({ status: 0, err: '' });
  }
  const letters = await operator('dead-letters', 'list');
  expect(letters.err).toMatch(/^operator: AMQP_URL: [^\n]*\n$/);
  expect(letters.status).toBe(1);
});
