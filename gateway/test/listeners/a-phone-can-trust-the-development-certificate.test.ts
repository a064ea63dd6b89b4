import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ensureCertificate } from '../../src/index.ts';

const made = async (host: string, directory = mkdtempSync(join(tmpdir(), 'boxoffice-phone-'))) => {
  const settings = { certificate: undefined, publicUrl: 'https://box.example.org:8443', host };
  const { cert, caFile = '' } = await ensureCertificate(settings, directory);
  return { certificate: new X509Certificate(cert), authority: new X509Certificate(readFileSync(caFile)), directory };
};

test('the certificate names the address, and with a wildcard all of the machine, besides the public one', async () => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address);
  const { certificate } = await made('0.0.0.0');
  for (const address of addresses) expect([address, certificate.checkIP(address)]).toEqual([address, address]);
  expect(certificate.checkHost('box.example.org')).toBe('box.example.org');
  if (!hostname().includes('.')) expect(certificate.checkHost(`${hostname()}.local`)).toBe(`${hostname()}.local`);
  const { certificate: alone } = await made('192.0.2.77');
  expect([alone.checkIP('192.0.2.77'), alone.checkIP('192.0.2.78')]).toEqual(['192.0.2.77', undefined]);
});

test('a phone that trusts the authority goes on doing so at another address', async () => {
  const { authority, certificate, directory } = await made('127.0.0.1');
  const later = await made('192.0.2.77', directory);
  expect(later.authority.fingerprint256).toBe(authority.fingerprint256);
  expect(later.certificate.fingerprint256).not.toBe(certificate.fingerprint256);
  expect(later.certificate.verify(authority.publicKey)).toBe(true);
  // What phones ask of an authority: that it is one, and is not the server's own certificate.
  expect([authority.ca, later.certificate.ca]).toEqual([true, false]);
});
