import { X509Certificate } from 'node:crypto';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, expect, test } from '@jest/globals';
import {
  type CertificateFiles,
  createLogger,
  developmentCertificate,
  followCertificate,
  listen,
  readCertificate,
} from '../../src/index.ts';

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
