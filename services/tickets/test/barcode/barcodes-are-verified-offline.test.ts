import { createHash, createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openApiDocument } from '@boxoffice/http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testVector } from '../../src/barcode/offline-verification.ts';
import { signBarcode } from '../../src/barcode/signing.ts';
import { routes } from '../../src/routes.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { confirmed, firstOf, issued, PATH, ticketOf } from '../fixture/orders.ts';
import { type Fixture, type Instance, openFixture, startInstance } from '../fixture/service.ts';

type ReadBarcode = (barcode: string, keys: readonly object[]) => Readonly<Record<string, unknown>>;

interface Keys {
  readonly kid: string;
  readonly x: string;
  readonly keys: readonly { readonly kid: string }[];
}

/** The code blocks of a language in the operation's description. */
const blocksOf = (fixture: Instance, language: string): string[] => {
  const document = openApiDocument({ service: 'tickets', version: '0', operations: routes(fixture.context) });
  const { paths } = document as { paths: Record<string, { get: { description: string } }> };
  const description = paths[`${PATH}/verification-key`]?.get.description ?? '';
  return [...description.matchAll(/```(\w+)\n([\s\S]*?)\n```/g)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block);
};

const keysOf = async (on: Instance): Promise<Keys> =>
  (await on.call('GET', `${PATH}/verification-key`)).data as unknown as Keys;

describe.each(engines)(`barcodes are verified offline, on $name${notExercised}`, (engine) => {
  let fixture: Fixture;
  let directory: string;
  let readBarcode: ReadBarcode;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    directory = await mkdtemp(join(tmpdir(), 'boxoffice-barcode-'));
    const file = join(directory, 'read-barcode.mjs');
    const [code = ''] = blocksOf(fixture, 'js');
    await writeFile(file, code);
    ({ readBarcode } = (await import(pathToFileURL(file).href)) as { readBarcode: ReadBarcode });
  });
  afterAll(async () => {
    await fixture.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  test('the example of the description has at most twenty lines and accepts its own test vector', () => {
    const [code = ''] = blocksOf(fixture, 'js');
    const [vector = ''] = blocksOf(fixture, 'json');
    expect(code.split('\n').length).toBeLessThanOrEqual(20);
    const { key, barcode, payload } = JSON.parse(vector);
    expect(readBarcode(barcode, [key])).toEqual(payload);
  });

  test('the service signs the payload of the test vector with its key to the same barcode', () => {
    const { key, payload, barcode } = testVector;
    // RFC 8037, appendix A.
    const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
    const privateKey = createPrivateKey({ key: { kty: key.kty, crv: key.crv, x: key.x, d }, format: 'jwk' });
    expect(signBarcode({ kid: key.kid, privateKey }, payload)).toBe(barcode);
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv: key.crv, kty: key.kty, x: key.x }));
    expect(thumbprint.digest('base64url').startsWith(key.kid)).toBe(true);
  });

  test('the example accepts issued barcodes and rejects changed ones and those of other keys', async () => {
    const order = await issued(fixture);
    const { barcode } = ticketOf(await fixture.call('GET', `${PATH}/${firstOf(order)}`));
    const { keys } = await keysOf(fixture);
    expect(readBarcode(barcode, keys)).toEqual({
      tid: firstOf(order),
      prf: order.tickets[0]?.performanceId,
      plc: order.tickets[0]?.place.id,
      iat: expect.any(Number),
    });
    const [header, , signature] = barcode.split('.');
    const forged = Buffer.from(JSON.stringify({ tid: 'tic_mine' })).toString('base64url');
    expect(() => readBarcode(`${header}.${forged}.${signature}`, keys)).toThrow('forged');
    const others = await fixture.call('GET', `${PATH}/verification-key`, { institution: 'museum' });
    expect(() => readBarcode(barcode, (others.data as unknown as Keys).keys)).toThrow('not signed by');
    for (const nonsense of ['', 'a.b.c', '..', barcode.slice(0, -3)])
      expect(() => readBarcode(nonsense, keys)).toThrow();
  });

  test('a barcode with ids of the catalog has at most 300 characters', () => {
    expect(testVector.barcode.length).toBeLessThanOrEqual(300);
    expect(testVector.barcode).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
  });

  test('a ticket is found by its exact barcode only', async () => {
    const { barcode, id } = ticketOf(await fixture.call('GET', `${PATH}/${firstOf(await issued(fixture))}`));
    const find = async (text: string, more = '', institution = fixture.institution) =>
      (await fixture.call('GET', `${PATH}?barcode=${text}${more}`, { institution })).data.items;
    expect(await find(barcode)).toMatchObject([{ id }]);
    expect(await find(barcode, '&status=not_printed')).toMatchObject([{ id }]);
    expect(await find(barcode, '&status=printed')).toEqual([]);
    expect(await find(barcode, '', 'museum')).toEqual([]);
    expect(await find(`${barcode.slice(0, -1)}!`)).toEqual([]);
    expect(await find('nonsense')).toEqual([]);
  });

  test('concurrent instances create one first key, which survives restarts', async () => {
    const institution = `fresh-${Date.now()}`;
    const instances = await Promise.all(
      Array.from({ length: 4 }, async () => startInstance(await fixture.engine.open(), institution)),
    );
    const all = await Promise.all(instances.flatMap((one) => [keysOf(one), keysOf(one)]));
    expect(new Set(all.map(({ x }) => x)).size).toBe(1);
    expect(all[0]?.keys).toHaveLength(1);
    await Promise.all(instances.map((one) => one.close()));
    const restarted = await startInstance(await fixture.engine.open(), institution);
    expect(await keysOf(restarted)).toEqual(all[0]);
    await restarted.close();
  });

  test('after a change of SERVICE_SECRET a new key signs, and the old one stays valid', async () => {
    const institution = `turned-${Date.now()}`;
    const before = await startInstance(await fixture.engine.open(), institution);
    const order = await issued(before);
    const { barcode } = ticketOf(await before.call('GET', `${PATH}/${firstOf(order)}`));
    const old = await keysOf(before);
    await before.close();
    const after = await startInstance(await fixture.engine.open(), institution, 'another secret of the tests');
    const { kid, keys } = await keysOf(after);
    expect(keys.map((key) => key.kid)).toEqual([kid, old.kid]);
    expect(kid).not.toBe(old.kid);
    expect(readBarcode(barcode, keys)).toMatchObject({ tid: firstOf(order) });
    const second = await issued(after, confirmed());
    const signed = ticketOf(await after.call('GET', `${PATH}/${firstOf(second)}`)).barcode;
    expect(readBarcode(signed, keys.slice(0, 1))).toMatchObject({ tid: firstOf(second) });
    await after.close();
  });
});
