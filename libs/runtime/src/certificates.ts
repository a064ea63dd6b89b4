import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Logger } from './logger.ts';
import { file } from './settings/kinds.ts';
import { type Setting, SettingsFault } from './settings/settings.ts';
import { explain, StartFault } from './settings/start-fault.ts';

/** A certificate chain and its private key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateFiles {
  readonly cert: { readonly setting: string; readonly path: string };
  readonly key: { readonly setting: string; readonly path: string };
}

type NamedFile = CertificateFiles['cert'];

type Read<Value> = { readonly pem: string; readonly value: Value } | { readonly fault: string };

/** @throws {StartFault} when a file is unreadable, damaged or expired, or the key does not belong to the certificate */
export function readCertificate(files: CertificateFiles, now = new Date()): Certificate {
  const [certificate, key] = [readCertificateFile(files.cert, now), readKeyFile(files.key)];
  if ('fault' in certificate) throw new StartFault(certificate.fault);
  if ('fault' in key) throw new StartFault(key.fault);
  if (!certificate.value.checkPrivateKey(key.value)) {
    throw new StartFault(
      `${files.key.setting}: the key in ${files.key.path} does not belong to the certificate in ${files.cert.path}`,
    );
  }
  return { cert: certificate.pem, key: key.pem };
}

const readCertificateFile = (named: NamedFile, now: Date): Read<X509Certificate> => {
  const read = readPem(named, 'certificate', (pem) => new X509Certificate(pem));
  const isOver = 'value' in read && read.value.validToDate < now;
  return isOver ? { fault: `${named.setting}: ${named.path} expired on ${read.value.validTo}` } : read;
};

const readPem = <Value>({ setting, path }: NamedFile, noun: string, parse: (pem: string) => Value): Read<Value> => {
  try {
    const pem = readFileSync(path, 'utf8');
    try {
      return { pem, value: parse(pem) };
    } catch {
      return { fault: `${setting}: ${path} holds no readable ${noun}` };
    }
  } catch (error) {
    return { fault: `${setting}: ${path} cannot be read: ${explain(error)}` };
  }
};

const readKeyFile = (named: NamedFile): Read<KeyObject> =>
  readPem(named, 'private key', (pem) => createPrivateKey(pem));

/** `<prefix>_CERT_FILE` and `<prefix>_KEY_FILE`: both are set and belong together, or neither is (then undefined). */
export function declareCertificateFiles(prefix: string): Setting<CertificateFiles | undefined> {
  const [certFile, keyFile] = [`${prefix}_CERT_FILE`, `${prefix}_KEY_FILE`].map((name) =>
    file(name, { optional: true }),
  );
  const toNamedFile = (setting: typeof certFile, path: string | undefined): NamedFile | undefined =>
    path === undefined || setting === undefined ? undefined : { setting: setting.name, path };
  return {
    name: `${prefix}_CERT_FILE`,
    read(env) {
      const [cert, key] = [toNamedFile(certFile, certFile?.read(env)), toNamedFile(keyFile, keyFile?.read(env))];
      const faults = faultsOf(cert, key);
      const [set, unset] = cert ? [cert.setting, `${prefix}_KEY_FILE`] : [key?.setting, `${prefix}_CERT_FILE`];
      if (!cert !== !key) faults.unshift(`${unset}: is not set, but ${set} is; they belong together`);
      if (faults.length > 0) throw new SettingsFault(faults);
      if (!cert || !key) return undefined;
      try {
        readCertificate({ cert, key });
      } catch (error) {
        throw error instanceof StartFault ? new SettingsFault([error.message]) : error;
      }
      return { cert, key };
    },
  };
}

const faultsOf = (cert: NamedFile | undefined, key: NamedFile | undefined): string[] => {
  const read = [cert && readCertificateFile(cert, new Date()), key && readKeyFile(key)];
  return read.flatMap((one) => (one && 'fault' in one ? [one.fault] : []));
};

interface FollowOptions {
  readonly files: CertificateFiles;
  readonly logger: Logger;
  renew(certificate: Certificate): void;
  readonly everyMs?: number;
}

/** While a renewed pair is damaged or half replaced, the old one stays, which is logged once. */
export function followCertificate(options: FollowOptions): { close(): void } {
  const { renew, files, logger, everyMs = 30_000 } = options;
  const versions = (): string => `${versionOf(files.cert.path)}, ${versionOf(files.key.path)}`;
  let served = versions();
  let refused = '';
  const check = (): void => {
    const now = versions();
    if (now === served || now === refused) return;
    try {
      renew(readCertificate(files));
      served = now;
      refused = '';
      logger.info('the certificate was renewed');
    } catch (error) {
      refused = now;
      logger.warn('the new certificate cannot be used, the old one stays', { reason: (error as Error).message });
    }
  };
  const timer = setInterval(check, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** Changes when the file is written or replaced, or a link in its path is; undefined while the file does not exist. */
const versionOf = (path: string): string | undefined => {
  const { mtimeMs, ino, size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs === undefined ? undefined : `${mtimeMs} ${ino} ${size}`;
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Beside those that Node trusts, for every TLS connection of this process. @throws {StartFault} */
export function trustAuthorities(path: string | undefined): void {
  if (path !== undefined) setDefaultCACertificates([...getCACertificates('default'), ...readAuthorities(path)]);
}

const readAuthorities = (path: string): string[] => {
  const text = (() => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new StartFault(`TLS_CA_FILE: ${path} cannot be read: ${explain(error)}`);
    }
  })();
  const found = text.match(CERTIFICATE) ?? [];
  try {
    for (const pem of found) new X509Certificate(pem);
  } catch {
    throw new StartFault(`TLS_CA_FILE: ${path} holds a damaged certificate`);
  }
  if (found.length === 0) throw new StartFault(`TLS_CA_FILE: ${path} holds no certificate`);
  return found;
};
