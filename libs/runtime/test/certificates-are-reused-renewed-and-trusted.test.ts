import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  cpSync,
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
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type CertificateFiles,
  createLogger,
  developmentCertificate,
  followCertificate,
  type Listening,
  listen,
  readCertificate,
  trustAuthorities,
} from '../src/index.ts';

describe('a renewed certificate is served without a restart', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'boxoffice-certificate-'));
  const [served, fresh] = [folder(), folder()];
  const certFile = 'development-certificate.pem';
  const keyFile = 'development-key.pem';
  const files: CertificateFiles = {
    cert: { setting: 'TLS_CERT_FILE', path: join(served, certFile) },
    key: { setting: 'TLS_KEY_FILE', path: join(served, keyFile) },
  };
  const closing: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const serialAt = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.serialNumber ?? 'none');
        socket.destroy();
      });
      socket.once('error', reject);
    });

  test('new connections get the current certificate of the files; while the files do not match, the previous one', async () => {
    const old = new X509Certificate((await developmentCertificate(served)).cert).serialNumber;
    const renewed = new X509Certificate((await developmentCertificate(fresh)).cert).serialNumber;
    const listening = await listen((_request, response) => response.end(), {
      host: '127.0.0.1',
      port: 0,
      tls: readCertificate(files),
    });
    closing.push(() => listening.close(0));
    const logged: string[] = [];
    const warned = Promise.withResolvers<void>();
    const note = (message: string): void => {
      logged.push(message);
      warned.resolve();
    };
    const logger = { ...createLogger({ service: 'test', level: 'error' }), info: note, warn: note };
    const following = followCertificate({ files, renew: listening.renew, logger, everyMs: 5 });
    closing.push(following.close);
    expect(await serialAt(listening.port)).toBe(old);

    writeFileSync(files.cert.path, 'half written');
    await warned.promise;
    expect(logged).toEqual(['the new certificate cannot be used, the old one stays']);
    expect(await serialAt(listening.port)).toBe(old);

    for (const name of [keyFile, certFile]) cpSync(join(fresh, name), join(served, name));
    while ((await serialAt(listening.port)) !== renewed);
    expect(logged.at(-1)).toBe('the certificate was renewed');
  });
});

describe('a valid development certificate is reused', () => {
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
        readCertificate({
          cert: { setting: 'TLS_CERT_FILE', path: cert },
          key: { setting: 'TLS_KEY_FILE', path: key },
        });
      expect(read(file, key).cert).toContain('BEGIN CERTIFICATE');
      expect(() => read(broken, key)).toThrow(`TLS_CERT_FILE: ${broken} holds no readable certificate`);
      expect(() => read(file, broken)).toThrow(`TLS_KEY_FILE: ${broken} holds no readable private key`);
      expect(() => read('/nowhere', key)).toThrow('TLS_CERT_FILE: /nowhere cannot be read: it does not exist');
      expect(() => read(file, join(other, 'development-key.pem'))).toThrow(/does not belong to/);
    });
  });
});

describe('additional authorities are trusted', () => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-trust-'));
  let listening: Listening;
  let caFile: string;
  beforeAll(async () => {
    const certificate = await developmentCertificate(directory);
    caFile = certificate.caFile;
    listening = await listen((_request, response) => response.end('served'), {
      host: '127.0.0.1',
      port: 0,
      tls: certificate,
    });
  });
  afterAll(() => listening.close(0));

  /** The answer that a new process with TLS_CA_FILE gets from the server: trust applies to the whole process. */
  const answerTo = async (file: string | undefined): Promise<string> => {
    const entry = new URL('../src/certificates.ts', import.meta.url).href;
    const script = `
    const { trustAuthorities } = await import(${JSON.stringify(entry)});
    const { X509Certificate } = await import('node:crypto');
    const { getCACertificates } = await import('node:tls');
    const trusted = () => new Set(getCACertificates('default').map((pem) => new X509Certificate(pem).fingerprint256));
    const before = trusted();
    trustAuthorities(${JSON.stringify(file)});
    const included = before.isSubsetOf(trusted());
    const answer = await fetch(${JSON.stringify(listening.url)}).then((r) => r.text(), (e) => e.cause.code);
    console.log(included, answer);`;
    const { stdout } = await promisify(execFile)('node', ['--conditions=source', '--input-type=module', '-e', script]);
    return stdout.trim();
  };

  describe('TLS_CA_FILE', () => {
    test('adds its authorities to those that Node trusts', async () => {
      expect(await Promise.all([answerTo(undefined), answerTo(caFile)])).toEqual([
        'true DEPTH_ZERO_SELF_SIGNED_CERT',
        'true served',
      ]);
    });

    test('that cannot be read or has no certificate is named in one line', () => {
      const broken = join(directory, 'broken.pem');
      const empty = join(directory, 'empty.pem');
      writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
      writeFileSync(empty, '');
      expect(() => trustAuthorities('/nowhere')).toThrow('TLS_CA_FILE: /nowhere cannot be read: it does not exist');
      expect(() => trustAuthorities(broken)).toThrow(`TLS_CA_FILE: ${broken} holds a damaged certificate`);
      expect(() => trustAuthorities(empty)).toThrow(`TLS_CA_FILE: ${empty} holds no certificate`);
    });
  });
});
