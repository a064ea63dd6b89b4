import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificates.ts';
import { replaceFile } from './files.ts';
import { explain, getErrorCode, StartFault } from './settings/start-fault.ts';

interface DevelopmentCertificate extends Certificate {
  /** The file for curl's --cacert. */
  readonly caFile: string;
}

interface Pair extends Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

const ALWAYS = ['localhost', '127.0.0.1', '::1'];
const DAY_MS = 86_400_000;
/** The longest validity of a server's certificate that clients accept, and that of the authority. Days. */
const LIFETIME = { server: 397, authority: 3_650 } as const;
const RENEWED_BEFORE_DAYS = 30;

/** Names and addresses at which others reach a listener; none of one that only listens to itself. */
export function listReachableHosts(
  host: string,
  { name, interfaces }: { readonly name: string; readonly interfaces: ReturnType<typeof networkInterfaces> } = {
    name: hostname(),
    interfaces: networkInterfaces(),
  },
): string[] {
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return [];
  if (host !== '0.0.0.0' && host !== '::') return [host];
  const addresses = Object.values(interfaces)
    .flatMap((some) => some ?? [])
    // Addresses that need the name of an interface are in no URL.
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const short = name.replace(/\.local$/, '');
  const names = /^[a-zA-Z\d](?:[a-zA-Z\d-]*[a-zA-Z\d])?$/.test(short) ? [short, `${short}.local`] : [];
  return [...names, ...addresses.map(({ address }) => address)];
}

const KEYS = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Made again when missing, damaged, about to expire or lacking a host; its authority stays, since clients trust it.
 * @throws {StartFault} when it cannot be stored or read, or the authority's key is missing
 */
export async function ensureDevelopmentCertificate(
  directory: string,
  hosts: readonly string[] = [],
  now = Date.now(),
): Promise<DevelopmentCertificate> {
  // An address in a URL may be in brackets.
  const all = [...new Set([...ALWAYS, ...hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1'))])];
  const files = {
    certFile: join(directory, 'development-certificate.pem'),
    keyFile: join(directory, 'development-key.pem'),
  };
  // Looked at first: what cannot be read is not replaced.
  const read = readPair(files, now, () => true);
  const authority = await authorityIn(directory, now);
  const signer = new X509Certificate(authority.cert);
  const isGood = (certificate: X509Certificate) =>
    certificate.checkIssued(signer) &&
    certificate.verify(signer.publicKey) &&
    all.every((host) => covers(certificate, host));
  const caFile = authority.certFile;
  if (read && isGood(new X509Certificate(read.cert))) return { cert: read.cert, key: read.key, caFile };
  const { cert, key } = await make('boxoffice development', now, { authority, hosts: all });
  // With the authority, so that the file is one to trust, too.
  const chain = `${cert.trimEnd()}\n${authority.cert.trimEnd()}\n`;
  keep({ cert: chain, key, ...files });
  return { cert: chain, key, caFile };
}

/** Intact and valid for another month. @throws {StartFault} if a file cannot be read */
const readPair = (
  { certFile, keyFile }: Pick<Pair, 'certFile' | 'keyFile'>,
  now: number,
  isGood: (certificate: X509Certificate) => boolean,
): Pair | undefined => {
  const [cert, key] = [storedPem(certFile), storedPem(keyFile)];
  if (cert === undefined || key === undefined) return undefined;
  try {
    const certificate = new X509Certificate(cert);
    const goodUntil = certificate.validToDate.getTime() - RENEWED_BEFORE_DAYS * DAY_MS;
    const isWhole = goodUntil > now && certificate.checkPrivateKey(createPrivateKey(key));
    return isWhole && isGood(certificate) ? { cert, key, certFile, keyFile } : undefined;
  } catch {
    return undefined;
  }
};

/** Undefined without a file. @throws {StartFault} if it cannot be read: a new certificate would replace it */
const storedPem = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw new StartFault(`the development certificate: ${path} cannot be read: ${explain(error)}`);
  }
};

/** @throws {StartFault} if the authority, which clients may trust, exists without its key */
const authorityIn = async (directory: string, now: number): Promise<Pair> => {
  const files = { certFile: join(directory, 'development-ca.crt'), keyFile: join(directory, 'development-ca.key') };
  const found = readPair(files, now, ({ ca }) => ca);
  if (found) return found;
  if (storedPem(files.certFile) !== undefined && storedPem(files.keyFile) === undefined) {
    throw new StartFault(
      `the development certificate: ${files.certFile} exists without ${files.keyFile}; restore the key, or remove the authority to get a new one`,
    );
  }
  const made = await make(`boxoffice development authority of ${hostname()}`, now);
  keep({ ...made, ...files });
  return { ...made, ...files };
};

const make = async (
  name: string,
  now: number,
  signed?: { readonly authority: Certificate; readonly hosts: readonly string[] },
): Promise<Certificate> => {
  // Loaded on demand: it costs 25 MB and 0.2 s, once a year.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { subtle } = globalThis.crypto;
  const keys = await subtle.generateKey(KEYS, true, ['sign', 'verify']);
  const issuer = signed && new x509.X509Certificate(signed.authority.cert);
  const issuerKey =
    signed &&
    (await subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(signed.authority.key), KEYS, false, ['sign']));
  const usages = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [name] }],
    issuer: issuer?.subject ?? [{ CN: [name] }],
    // Clocks of clients may be slightly behind.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + ((signed ? LIFETIME.server : LIFETIME.authority) - 1) * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: issuerKey ?? keys.privateKey,
    signingAlgorithm: KEYS,
    extensions: [
      new x509.BasicConstraintsExtension(!signed, signed ? undefined : 0, true),
      new x509.KeyUsagesExtension(signed ? usages.digitalSignature : usages.keyCertSign | usages.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer?.publicKey ?? keys.publicKey),
      ...(signed
        ? [
            new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
            new x509.SubjectAlternativeNameExtension(
              signed.hosts.map((host) => ({ type: isIP(host) ? 'ip' : 'dns', value: host })),
            ),
          ]
        : []),
    ],
  });
  const key = x509.PemConverter.encode(await subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: certificate.toString('pem'), key };
};

const keep = ({ cert, key, certFile, keyFile }: Pair): void => {
  try {
    replaceFile(keyFile, key, 0o600);
    replaceFile(certFile, cert, 0o644);
  } catch (error) {
    throw new StartFault(`the development certificate cannot be stored: ${explain(error)}`);
  }
};

const covers = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
