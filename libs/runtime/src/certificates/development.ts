import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { explain, reasonOf, StartFault } from '../settings/start-fault.ts';
import type { Certificate } from './certificate.ts';

/** A certificate that clients trust by its own file. */
interface DevelopmentCertificate extends Certificate {
  /** The file for curl's --cacert. */
  readonly caFile: string;
}

const ALWAYS = ['localhost', '127.0.0.1', '::1'];
const DAY_MS = 86_400_000;
/** The longest validity that clients accept. */
const LIFETIME_DAYS = 397;
const RENEWED_BEFORE_DAYS = 30;

const covers = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;

/**
 * The content of a file of the pair; undefined if there is none.
 * @throws {StartFault} if it cannot be read: a new certificate would replace it
 */
const storedPem = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined;
    throw new StartFault(`the development certificate: ${path} cannot be read: ${explain(error)}`);
  }
};

/**
 * The stored certificate, if it is intact and valid for all hosts and for another month.
 * @throws {StartFault} if a file cannot be read, or a certificate, which clients may trust, exists without its key
 */
const stored = (certFile: string, keyFile: string, hosts: readonly string[], now: number): Certificate | undefined => {
  const [cert, key] = [storedPem(certFile), storedPem(keyFile)];
  if (cert !== undefined && key === undefined) {
    throw new StartFault(
      `the development certificate: ${certFile} exists without ${keyFile}; restore the key, or remove the certificate to get new ones`,
    );
  }
  if (cert === undefined || key === undefined) return undefined;
  try {
    const certificate = new X509Certificate(cert);
    const goodUntil = certificate.validToDate.getTime() - RENEWED_BEFORE_DAYS * DAY_MS;
    const good = goodUntil > now && certificate.checkPrivateKey(createPrivateKey(key));
    return good && hosts.every((host) => covers(certificate, host)) ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
};

const make = async (hosts: readonly string[], now: number): Promise<Certificate> => {
  // Loaded on demand: it costs 25 MB and 0.2 s, once a year.
  const { generate } = await import('selfsigned');
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'boxoffice development' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Clocks of clients may be slightly behind.
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + (LIFETIME_DAYS - 1) * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })),
      },
    ],
  });
  return { cert, key };
};

const replaceFile = (path: string, content: string, mode: number): void => {
  writeFileSync(`${path}.new`, content, { mode, flush: true });
  renameSync(`${path}.new`, path);
};

/**
 * A certificate for development, stored in the directory (its key with mode 0600) and valid for localhost, loopback and
 * the given hosts; created again when it is missing, damaged, about to expire, or lacks a host.
 * @throws {StartFault} when it cannot be stored, or a stored file cannot be read, or its key is missing
 */
export const developmentCertificate = async (
  directory: string,
  hosts: readonly string[] = [],
  now = Date.now(),
): Promise<DevelopmentCertificate> => {
  // An address in a URL may be in brackets.
  const all = [...new Set([...ALWAYS, ...hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1'))])];
  const caFile = join(directory, 'development-certificate.pem');
  const keyFile = join(directory, 'development-key.pem');
  const found = stored(caFile, keyFile, all, now);
  if (found) return { ...found, caFile };
  const fresh = await make(all, now);
  try {
    replaceFile(keyFile, fresh.key, 0o600);
    replaceFile(caFile, fresh.cert, 0o644);
  } catch (error) {
    throw new StartFault(`the development certificate cannot be stored in ${directory}: ${explain(error)}`);
  }
  return { ...fresh, caFile };
};
