import { X509Certificate } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { developmentCertificate, listen, readCertificate } from '../../src/index.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'boxoffice-certificate-'));
const DAY = 86_400_000;

describe('the development certificate', () => {
  test('names localhost, loopback and the given hosts, and its key is private', async () => {
    const directory = folder();
    const { cert, caFile } = await developmentCertificate(directory, ['box.example.org', '10.1.2.3']);
    const certificate = new X509Certificate(cert);
    for (const host of ['localhost', 'box.example.org']) expect(certificate.checkHost(host)).toBe(host);
    for (const address of ['127.0.0.1', '::1', '10.1.2.3']) expect(certificate.checkIP(address)).toBe(address);
    expect(caFile).toBe(join(directory, 'development-certificate.pem'));
    expect(statSync(join(directory, 'development-key.pem')).mode & 0o777).toBe(0o600);
  });

  test('stays the same until a host is missing, it is about to expire, or it is damaged', async () => {
    const directory = folder();
    const first = await developmentCertificate(directory);
    expect((await developmentCertificate(directory)).cert).toBe(first.cert);
    const second = await developmentCertificate(directory, ['other.example.org']);
    expect(second.cert).not.toBe(first.cert);
    const third = await developmentCertificate(directory, [], Date.now() + 380 * DAY);
    expect(third.cert).not.toBe(second.cert);
    writeFileSync(join(directory, 'development-key.pem'), 'damaged');
    expect((await developmentCertificate(directory)).cert).not.toBe(third.cert);
  });

  test.each(['development-key.pem', 'development-certificate.pem'])(
    'is not replaced when its %s cannot be read',
    async (name) => {
      const directory = folder();
      await developmentCertificate(directory);
      const path = join(directory, name);
      renameSync(path, `${path}.away`);
      mkdirSync(path);
      const before = readdirSync(directory);
      await expect(developmentCertificate(directory)).rejects.toThrow(
        `the development certificate: ${path} cannot be read: it is a directory`,
      );
      expect(readdirSync(directory)).toEqual(before);
    },
  );

  test('is not replaced when only its key is missing; a key without a certificate is replaced', async () => {
    const directory = folder();
    const { cert, caFile } = await developmentCertificate(directory);
    const key = join(directory, 'development-key.pem');
    rmSync(key);
    await expect(developmentCertificate(directory)).rejects.toThrow(`${caFile} exists without ${key}`);
    expect(readFileSync(caFile, 'utf8')).toBe(cert);
    rmSync(caFile);
    await developmentCertificate(directory);
    rmSync(caFile);
    expect((await developmentCertificate(directory)).cert).not.toBe(cert);
  });

  test('is trusted by a client that has its file', async () => {
    const tls = await developmentCertificate(folder());
    const listening = await listen((_request, response) => response.end(), { host: '127.0.0.1', port: 0, tls });
    const status = await new Promise((resolve, reject) => {
      request(`https://localhost:${listening.port}`, { ca: tls.cert }, (response) => resolve(response.statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await listening.close();
  });
});

describe('a configured certificate', () => {
  test('that is damaged, does not match its key, or is missing is named in one line', async () => {
    const directory = folder();
    const file = join(directory, 'development-certificate.pem');
    const key = join(directory, 'development-key.pem');
    await developmentCertificate(directory);
    const other = folder();
    await developmentCertificate(other);
    const broken = join(directory, 'broken.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const read = (cert: string, key: string) =>
      readCertificate({ cert: { setting: 'TLS_CERT_FILE', path: cert }, key: { setting: 'TLS_KEY_FILE', path: key } });
    expect(read(file, key).cert).toContain('BEGIN CERTIFICATE');
    expect(() => read(broken, key)).toThrow(`TLS_CERT_FILE: ${broken} holds no readable certificate`);
    expect(() => read(file, broken)).toThrow(`TLS_KEY_FILE: ${broken} holds no readable private key`);
    expect(() => read('/nowhere', key)).toThrow('TLS_CERT_FILE: /nowhere cannot be read: it does not exist');
    expect(() => read(file, join(other, 'development-key.pem'))).toThrow(/does not belong to/);
  });
});
