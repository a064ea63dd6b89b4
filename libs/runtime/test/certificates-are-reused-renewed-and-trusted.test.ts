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
import { type NetworkInterfaceInfo, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type CertificateFiles,
  createLogger,
  ensureDevelopmentCertificate,
  followCertificate,
  type Listening,
  listen,
  listReachableHosts,
  readCertificate,
  trustAuthorities,
} from '../src/index.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'boxoffice-certificate-'));

describe('a renewed certificate is served without a restart', () => {
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
    const old = new X509Certificate((await ensureDevelopmentCertificate(served)).cert).serialNumber;
    const renewed = new X509Certificate((await ensureDevelopmentCertificate(fresh)).cert).serialNumber;
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

const DAY = 86_400_000;

describe('the development certificate', () => {
  test('names localhost, loopback and the given hosts, and its key is private', async () => {
    const directory = folder();
    const { cert, caFile } = await ensureDevelopmentCertificate(directory, ['box.example.org', '10.1.2.3']);
    const certificate = new X509Certificate(cert);
    for (const host of ['localhost', 'box.example.org']) expect(certificate.checkHost(host)).toBe(host);
    for (const address of ['127.0.0.1', '::1', '10.1.2.3']) expect(certificate.checkIP(address)).toBe(address);
    expect(caFile).toBe(join(directory, 'development-ca.crt'));
    for (const key of ['development-key.pem', 'development-ca.key'])
      expect(statSync(join(directory, key)).mode & 0o777).toBe(0o600);
  });

  test('stays the same until a host is missing, it is about to expire, or it is damaged', async () => {
    const directory = folder();
    const first = await ensureDevelopmentCertificate(directory);
    expect((await ensureDevelopmentCertificate(directory)).cert).toBe(first.cert);
    const second = await ensureDevelopmentCertificate(directory, ['other.example.org']);
    expect(second.cert).not.toBe(first.cert);
    const third = await ensureDevelopmentCertificate(directory, [], Date.now() + 380 * DAY);
    expect(third.cert).not.toBe(second.cert);
    writeFileSync(join(directory, 'development-key.pem'), 'damaged');
    expect((await ensureDevelopmentCertificate(directory)).cert).not.toBe(third.cert);
  });

  test('is signed by an authority that stays, and is trusted with it alone', async () => {
    const directory = folder();
    const first = await ensureDevelopmentCertificate(directory);
    const second = await ensureDevelopmentCertificate(directory, ['phone.example.org']);
    expect(second.cert).not.toBe(first.cert);
    const [one, other, authority] = [first.cert, second.cert, readFileSync(first.caFile)].map(
      (pem) => new X509Certificate(pem),
    );
    for (const certificate of [one, other]) {
      expect([certificate?.ca, certificate?.checkIssued(authority as X509Certificate)]).toEqual([false, true]);
      expect(certificate?.verify((authority as X509Certificate).publicKey)).toBe(true);
    }
    expect([authority?.ca, second.caFile]).toEqual([true, first.caFile]);
    const lifetime = Date.parse(String(other?.validTo)) - Date.parse(String(other?.validFrom));
    expect(lifetime).toBeLessThanOrEqual(398 * DAY);
  });

  test('of a release without an authority is replaced by one that has it', async () => {
    const directory = folder();
    const { caFile } = await ensureDevelopmentCertificate(directory);
    const before = readFileSync(join(directory, 'development-certificate.pem'), 'utf8');
    rmSync(caFile);
    rmSync(join(directory, 'development-ca.key'));
    const { cert } = await ensureDevelopmentCertificate(directory);
    expect(cert).not.toBe(before);
    expect(new X509Certificate(cert).verify(new X509Certificate(readFileSync(caFile)).publicKey)).toBe(true);
  });

  test('names what others reach the machine by, unless it only listens to itself', () => {
    const at = (address: string, internal = false) => ({ address, internal }) as NetworkInterfaceInfo;
    const interfaces = {
      lo: [at('127.0.0.1', true)],
      wlan0: [at('192.168.1.20'), at('fe80::1'), at('2001:db8::20')],
    };
    const reaching = (host: string, name = 'laptop') => listReachableHosts(host, { name, interfaces });
    for (const host of ['127.0.0.1', 'localhost', '::1']) expect(reaching(host)).toEqual([]);
    expect(reaching('192.168.1.20')).toEqual(['192.168.1.20']);
    const all = ['laptop', 'laptop.local', '192.168.1.20', '2001:db8::20'];
    expect([reaching('0.0.0.0'), reaching('::', 'laptop.local')]).toEqual([all, all]);
    expect(reaching('0.0.0.0', 'my laptop')).toEqual(all.slice(2));
  });

  test.each(['development-key.pem', 'development-certificate.pem', 'development-ca.key', 'development-ca.crt'])(
    'is not replaced when its %s cannot be read',
    async (name) => {
      const directory = folder();
      await ensureDevelopmentCertificate(directory);
      const path = join(directory, name);
      renameSync(path, `${path}.away`);
      mkdirSync(path);
      const before = readdirSync(directory);
      await expect(ensureDevelopmentCertificate(directory)).rejects.toThrow(
        `the development certificate: ${path} cannot be read: it is a directory`,
      );
      expect(readdirSync(directory)).toEqual(before);
    },
  );

  test('keeps an authority of which only the key is missing; a key without its authority is replaced', async () => {
    const directory = folder();
    const { cert, caFile } = await ensureDevelopmentCertificate(directory);
    const key = join(directory, 'development-ca.key');
    rmSync(key);
    await expect(ensureDevelopmentCertificate(directory)).rejects.toThrow(`${caFile} exists without ${key}`);
    expect(cert).toContain(readFileSync(caFile, 'utf8').trim());
    rmSync(caFile);
    await ensureDevelopmentCertificate(directory);
    rmSync(caFile);
    expect((await ensureDevelopmentCertificate(directory)).cert).not.toBe(cert);
  });

  test('is trusted by a client that has its file', async () => {
    const tls = await ensureDevelopmentCertificate(folder());
    const ca = readFileSync(tls.caFile);
    const listening = await listen((_request, response) => response.end(), { host: '127.0.0.1', port: 0, tls });
    const status = await new Promise((resolve, reject) => {
      request(`https://localhost:${listening.port}`, { ca }, (response) => resolve(response.statusCode))
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
    await ensureDevelopmentCertificate(directory);
    const other = folder();
    await ensureDevelopmentCertificate(other);
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

const directory = folder();
let listening: Listening;
let caFile: string;
beforeAll(async () => {
  const certificate = await ensureDevelopmentCertificate(directory);
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
      'true SELF_SIGNED_CERT_IN_CHAIN',
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
