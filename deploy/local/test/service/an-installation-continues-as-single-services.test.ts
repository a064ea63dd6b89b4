import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { freePorts } from '@boxoffice/testkit';
import { afterAll, expect, test } from '@jest/globals';
import { authorization, clientOf, type Process, startProcess, startProgram } from '../program.ts';

const { TEST_MONGODB_URL, TEST_AMQP_URL } = process.env;
const both = TEST_MONGODB_URL && TEST_AMQP_URL ? test : test.skip;
if (both === test.skip) process.stdout.write('skipped: single services need TEST_MONGODB_URL and TEST_AMQP_URL\n');

const running: Process[] = [];
afterAll(() => {
  for (const process of running) process.kill('SIGKILL');
});

both(
  'what npm start seeded on MongoDB and RabbitMQ is served by one process per service, over TLS between them',
  async () => {
    const engines = {
      MONGODB_URL: `${TEST_MONGODB_URL}/local_${randomUUID().slice(0, 8)}`,
      AMQP_URL: String(TEST_AMQP_URL),
    };
    const whole = await startProgram(engines);
    running.push(whole);
    await whole.printed('boxoffice is ready');
    whole.kill('SIGTERM');
    expect(await whole.ended).toBe(0);

    const { directory } = whole;
    const names = ['authorizer', 'catalog', 'contacts'] as const;
    const [port, httpPort, ...ports] = await freePorts(2 + names.length);
    const addresses = Object.fromEntries(
      names.map((name, index) => [`${name.toUpperCase()}_URL`, `https://localhost:${ports[index]}`]),
    );
    const publicUrl = `https://localhost:${port}`;
    const caFile = join(directory, 'development-certificate.pem');
    const settings = {
      BOXOFFICE_DATA_DIR: directory,
      PUBLIC_URL: publicUrl,
      TLS_CA_FILE: caFile,
      SERVICE_TLS_CERT_FILE: caFile,
      SERVICE_TLS_KEY_FILE: join(directory, 'development-key.pem'),
      ...engines,
      ...addresses,
    };
    const services = names.map((name, index) =>
      startProcess('service.ts', [name], { ...settings, PORT: `${ports[index]}` }),
    );
    const gateway = startProcess('service.ts', ['gateway'], {
      ...settings,
      GATEWAY_PORT: `${port}`,
      GATEWAY_HTTP_PORT: `${httpPort}`,
    });
    running.push(...services, gateway);
    // With a secret of its own making a process serves, and never becomes ready.
    const [strangerPort] = await freePorts(1);
    const forged = { SERVICE_SECRET: 'not what the authorizer derives', PORT: `${strangerPort}` };
    const stranger = startProcess('service.ts', ['contacts'], { ...settings, ...forged });
    running.push(stranger);
    await Promise.all(services.map((service) => service.printed('"message":"ready"')));
    await gateway.printed('"message":"listening"');
    const health = () => fetch(`http://127.0.0.1:${httpPort}/health/ready`);
    while ((await health()).status !== 200);

    const demo = { ...whole.demo(), baseUrl: publicUrl };
    const headers = { authorization: await authorization(demo, 'opera', 'full') };
    const client = clientOf(demo);
    const { body } = await client('/svc/v3/catalog?type=show', { headers });
    expect(body.data.products).toHaveLength(254);
    const created = await client('/contacts/individuals', { method: 'POST', headers, body: { lastName: 'Martin' } });
    expect(created.status).toBe(201);

    // A client without the authority gets no response, and neither does plain HTTP.
    await expect(fetch(`${addresses.CONTACTS_URL}/openapi.json`)).rejects.toThrow('fetch failed');
    await expect(fetch(`${addresses.CONTACTS_URL?.replace('https', 'http')}/openapi.json`)).rejects.toThrow();

    await Promise.all([stranger.printed('"message":"serving"'), stranger.printed('it does not become ready')]);
    expect(stranger.output()).not.toContain('"message":"ready"');

    stranger.kill('SIGTERM');
    expect(await stranger.ended).toBe(0);
    for (const process of [gateway, ...services]) process.kill('SIGTERM');
    expect(await Promise.all([gateway, ...services].map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  },
);
