import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openClient } from '@boxoffice/testkit';
import { afterAll, describe, expect, test } from '@jest/globals';
import { listFirstCommands } from '../src/screen.ts';
import {
  createClient,
  createTemporaryDirectory,
  type Program,
  requestDemoAuthorization,
  startProgram,
} from './program.ts';

describe('with demo data', () => {
  // One installation through a sequence of starts, in this order.

  let program: Program;
  afterAll(() => program?.kill('SIGKILL'));

  test('the next start finishes an interrupted seeding without duplicates', async () => {
    const killed = await startProgram();
    await killed.printed('Demo data: Opéra');
    killed.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(join(killed.directory, 'demo.json'))).toBe(false);

    program = await startProgram({}, killed.directory);
    await program.printed('boxoffice is ready');
    const demo = program.demo();
    expect(statSync(join(program.directory, 'demo.json')).mode & 0o777).toBe(0o600);
    expect(demo.clients.map(({ institution, name }) => `${institution} ${name}`)).toEqual(
      ['opera', 'museum'].flatMap((id) =>
        ['full', 'reader', 'contacts-writer', 'none', 'reseller', 'web', 'web-confidential', 'door'].map(
          (name) => `${id} ${name}`,
        ),
      ),
    );
    expect(demo.clients.find(({ name }) => name === 'reseller')?.bounds).toEqual({
      ownOrders: true,
      pointsOfSale: ['tickets.opera.example'],
    });
    expect(demo.apiUsers.map(({ institution, role }) => `${institution} ${role}`)).toEqual(
      ['opera', 'museum'].flatMap((id) =>
        ['admin', 'manager', 'box_office', 'door', 'customer'].map((role) => `${id} ${role}`),
      ),
    );
    const headers = { authorization: await requestDemoAuthorization(demo, 'opera', 'reader') };
    const { body } = await createClient(demo)('/svc/v3/catalog?type=show', { headers });
    const products: { readonly id: string; readonly code: string; readonly state: string }[] = body.data.products;
    expect(products.filter(({ state }) => state === 'running')).toHaveLength(254);
    expect(new Set(products.map(({ code }) => code)).size).toBe(254);
    expect(products.map(({ id }) => id)).toContain(demo.fixtures.opera?.numbered.productId);
  });

  test('the printed commands work', async () => {
    const commands = program
      .output()
      .split('\n')
      .filter((line) => /^ {2}(CLIENT=|TOKEN=|curl )/.test(line));
    const { stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
      encoding: 'utf8',
      // A bash with a socket as input and no parent shell reads a profile.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).data.items).toHaveLength(3);
  });

  test('the printed command for the credentials works with any name of the directory', () => {
    const file = join(mkdtempSync(join(tmpdir(), "it's a $(box) ")), 'demo.json');
    writeFileSync(file, JSON.stringify({ clients: [{ clientId: 'cli_1', clientSecret: 's3cret' }] }));
    const [pick] = listFirstCommands('https://localhost:8443', file, '/tmp/ca.pem');
    expect(execFileSync('bash', ['-c', `${pick}\nprintf %s "$CLIENT"`], { encoding: 'utf8' })).toBe('cli_1:s3cret');
  });

  test('every printed address opens in a browser, documentation and shop among them', async () => {
    const ask = createClient(program.demo());
    const { baseUrl } = program.demo();
    const printed = [...program.output().matchAll(/^ {2}[a-z][a-zA-Z ]{5,18} +(https:\/\/[^\s,]+)/gm)].map(
      ([, url]) => url,
    );
    expect(printed).toEqual(expect.arrayContaining([`${baseUrl}/docs`, `${baseUrl}/docs/demo`, `${baseUrl}/shop/`]));
    for (const url of printed) {
      const { status } = await ask(String(url).slice(baseUrl.length), { headers: { accept: 'text/html' } });
      // The shop leads to that of its point of sale.
      expect([url, status]).toEqual([url, String(url).endsWith('/shop/') ? 302 : 200]);
    }
  });

  test('requests do not scroll the screen away', async () => {
    const before = program.output();
    await createClient(program.demo())('/svc/v3/catalog/no-such-path');
    await createClient(program.demo())('/openapi.json');
    expect(program.output()).toBe(before);
  });

  test('the output contains no secret', () => {
    for (const { clientSecret } of program.demo().clients) {
      if (clientSecret !== undefined) expect(program.output()).not.toContain(clientSecret);
    }
  });

  test('a request in flight is finished after SIGTERM', async () => {
    const demo = program.demo();
    const rest = Promise.withResolvers<string>();
    const halves = Readable.from(['{"lastName":', rest.promise], { objectMode: false });
    const answer = createClient(demo)('/contacts/individuals', {
      method: 'POST',
      headers: {
        authorization: await requestDemoAuthorization(demo, 'opera', 'contacts-writer'),
        'content-type': 'application/json',
      },
      body: halves,
    });
    // Half of the body has arrived when the gateway stops listening, which shows in refused connections.
    const listens = () => fetch(`http://127.0.0.1:${program.httpPort}/health/live`).then(...[() => true, () => false]);
    expect(await listens()).toBe(true);
    program.kill('SIGTERM');
    while (await listens());
    rest.resolve('"Martin"}');
    const { status, body } = await answer;
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ lastName: 'Martin' });
    expect(await program.ended).toBe(0);
  });

  test('the next start keeps data and credentials, and updates the addresses', async () => {
    const before = program.demo();
    program = await startProgram({}, program.directory);
    await program.printed('boxoffice is ready');
    const after = program.demo();
    expect(after.baseUrl).not.toBe(before.baseUrl);
    // Users return to the address that the installation has now.
    expect(after).toEqual(JSON.parse(JSON.stringify(before).replaceAll(before.baseUrl, after.baseUrl)));
    expect(after.clients.flatMap(({ redirectUris = [] }) => redirectUris)).toContain(`${after.baseUrl}/callback`);
    const doors = after.clients.filter(({ name }) => name === 'door');
    expect(doors.map(({ redirectUris }) => redirectUris)).toEqual(Array(2).fill([`${after.baseUrl}/door/`]));
    const settings = await createClient(after)('/door/settings.json');
    expect(settings.body).toMatchObject({
      address: `${after.baseUrl}/door/`,
      clients: doors.map(({ clientId }) => ({ clientId })),
    });
    const headers = { authorization: await requestDemoAuthorization(after, 'opera', 'full') };
    const { body } = await createClient(after)('/svc/v3/contacts/individuals', { headers });
    expect(body.data.items).toContainEqual(expect.objectContaining({ lastName: 'Martin' }));
    const [key] = after.apiKeys;
    const shown = await createClient(after)('/svc/v3/catalog', { headers: { 'x-api-key': String(key?.key) } });
    expect(shown.body.data.institution.id).toBe('opera');
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  test('a lost demo.json is written again with new secrets, readable by its owner only', async () => {
    const secrets = () => program.demo().clients.flatMap(({ clientSecret = [] }) => clientSecret);
    const before = secrets();
    rmSync(join(program.directory, 'demo.json'));
    program = await startProgram({}, program.directory);
    await program.printed('boxoffice is ready');
    expect(statSync(join(program.directory, 'demo.json')).mode & 0o777).toBe(0o600);
    expect(secrets().filter((secret) => before.includes(secret))).toEqual([]);
    await requestDemoAuthorization(program.demo(), 'museum', 'reader');
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

describe('without demo data', () => {
  // One installation through two starts, in this order.

  const directory = createTemporaryDirectory();
  let program: Program | undefined;
  afterAll(() => program?.kill('SIGKILL'));

  const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Program> => {
    program = await startProgram({ BOXOFFICE_DEMO: 'off', ...settings }, directory);
    await program.printed('boxoffice is ready');
    await program.printed('No demo data');
    return program;
  };

  /** The audit lines in the terminal after three failed requests of a token, and the end of the program. */
  const auditLinesOf = async ({ output, kill, ended }: Program): Promise<number> => {
    const [, baseUrl = ''] = /documentation +(\S+)\/docs/.exec(output()) ?? [];
    const client = openClient({ baseUrl, ca: readFileSync(join(directory, 'development-certificate.pem'), 'utf8') });
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'wrong' });
    for (let count = 0; count < 3; count += 1)
      expect((await client('/auth/token', { method: 'POST', body: form })).status).toBe(401);
    kill('SIGTERM');
    expect(await ended).toBe(0);
    return output().split('audit.authentication_failed').length - 1;
  };

  test('all files of the data directory are readable by their owner only, whatever the mode of the directory', async () => {
    chmodSync(directory, 0o755);
    await start();
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    expect(names).toEqual(
      expect.arrayContaining([
        'authorizer.sqlite',
        'authorizer.sqlite-wal',
        'service-root-secret',
        'key-encryption-key',
      ]),
    );
    const modes = names.flatMap((name) => {
      // A file that is being replaced may be gone by now.
      const found = statSync(join(directory, name), { throwIfNoEntry: false });
      return found ? [[name, (found.mode & 0o777).toString(8)]] : [];
    });
    expect(modes.filter(([, mode]) => mode !== '600' && mode !== '700')).toEqual([]);
  });

  test('another npm start on its data directory is refused in one line', async () => {
    const other = await startProgram({}, directory);
    expect(await other.ended).toBe(1);
    expect(other.output()).toBe(
      `boxoffice cannot start: BOXOFFICE_DATA_DIR: ${directory} is in use by another npm start\n`,
    );
  });

  test('audit lines are not among the warnings, and none names a database', async () => {
    const running = program as Program;
    expect(await auditLinesOf(running)).toBe(0);
    expect(running.output()).not.toContain('.sqlite');
  });

  test('a missing database is logged in one line and created again; audit lines are shown with the requests', async () => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(directory, `contacts.sqlite${end}`), { force: true });
    const running = await start({ LOG_LEVEL: 'info' });
    expect(await auditLinesOf(running)).toBe(3);
    const logged = running
      .output()
      .split('\n')
      .filter((line) => line.includes('.sqlite'));
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'warn',
        message: 'a database file is missing and is created empty; if it was lost, stop and restore a backup',
        part: join(directory, 'contacts.sqlite'),
      },
    ]);
  });
});
