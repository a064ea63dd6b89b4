import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { explain, StartFault } from '../settings/start-fault.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

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

/**
 * From now on every TLS connection that this process makes (to services, MongoDB, RabbitMQ) trusts the authorities in
 * the file (PEM, one or several), beside those that Node trusts anyway. Nothing to do without a file.
 * @throws {StartFault} when the file cannot be read or holds no certificate
 */
export const trustAuthorities = (path: string | undefined): void => {
  if (path !== undefined) setDefaultCACertificates([...getCACertificates('default'), ...readAuthorities(path)]);
};
