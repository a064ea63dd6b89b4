// TLS certificates: reading and following the files, a certificate for development, and trusted authorities.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { file } from '../settings/kinds.ts';
import { type Setting, SettingsFault } from '../settings/settings.ts';
import { explain, StartFault } from '../settings/start-fault.ts';

/** A certificate chain and its private key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The files of a certificate and of its key, each with the setting that names it. */
export interface CertificateFiles {
  readonly cert: { readonly setting: string; readonly path: string };
  readonly key: { readonly setting: string; readonly path: string };
}

type NamedFile = CertificateFiles['cert'];

/** The content of a setting's file, or the line that says why it cannot be used. */
type Read<Value> = { readonly pem: string; readonly value: Value } | { readonly fault: string };

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

const readCertificateFile = (named: NamedFile, now: Date): Read<X509Certificate> => {
  const read = readPem(named, 'certificate', (pem) => new X509Certificate(pem));
  const isOver = 'value' in read && read.value.validToDate < now;
  return isOver ? { fault: `${named.setting}: ${named.path} expired on ${read.value.validTo}` } : read;
};

const readKeyFile = (named: NamedFile): Read<KeyObject> =>
  readPem(named, 'private key', (pem) => createPrivateKey(pem));

/**
 * The certificate in the files.
 * @throws {StartFault} when one of them is unreadable, damaged or expired, or the key does not belong to the
 * certificate
 */
export const readCertificate = (files: CertificateFiles, now = new Date()): Certificate => {
  const [certificate, key] = [readCertificateFile(files.cert, now), readKeyFile(files.key)];
  if ('fault' in certificate) throw new StartFault(certificate.fault);
  if ('fault' in key) throw new StartFault(key.fault);
  if (!certificate.value.checkPrivateKey(key.value)) {
    throw new StartFault(
      `${files.key.setting}: the key in ${files.key.path} does not belong to the certificate in ${files.cert.path}`,
    );
  }
  return { cert: certificate.pem, key: key.pem };
};

/** The faults of each file alone, if it is given. */
const faultsOf = (cert: NamedFile | undefined, key: NamedFile | undefined): string[] => {
  const read = [cert && readCertificateFile(cert, new Date()), key && readKeyFile(key)];
  return read.flatMap((one) => (one && 'fault' in one ? [one.fault] : []));
};

/**
 * The setting of a certificate: `<prefix>_CERT_FILE` and `<prefix>_KEY_FILE` name its files. Both are set and belong
 * together, or neither is (then undefined).
 */
export const certificateFiles = (prefix: string): Setting<CertificateFiles | undefined> => {
  const [certFile, keyFile] = [`${prefix}_CERT_FILE`, `${prefix}_KEY_FILE`].map((name) =>
    file(name, { optional: true }),
  );
  const named = (setting: typeof certFile, path: string | undefined): NamedFile | undefined =>
    path === undefined || setting === undefined ? undefined : { setting: setting.name, path };
  return {
    name: `${prefix}_CERT_FILE`,
    read(env) {
      const [cert, key] = [named(certFile, certFile?.read(env)), named(keyFile, keyFile?.read(env))];
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
};
