import { hkdfSync } from 'node:crypto';
import { join, resolve } from 'node:path';
import { declareCertificateFiles } from '../certificates.ts';
import { logLevels } from '../logger.ts';
import { readStoredSecret } from '../secrets.ts';
import { directory, file, oneOf, port, secret, text, url } from './kinds.ts';
import { type Environment, type Setting, SettingsFault } from './settings.ts';

export const dataDirectory = directory('BOXOFFICE_DATA_DIR', { default: resolve('data') });

export const host = text('HOST', {
  default: '127.0.0.1',
  pattern: /^[A-Za-z0-9.:_-]+$/,
  expected: 'an address or a host name',
});

export const gatewayPort = port('GATEWAY_PORT', { default: 8443 });

export const logLevel = oneOf('LOG_LEVEL', logLevels, { default: 'info' });

/** Trusted beside the well-known authorities, see `trustAuthorities`. */
export const tlsCaFile = file('TLS_CA_FILE', { optional: true });

export const gatewayCertificate = declareCertificateFiles('TLS');

/** The certificate with which a single service serves HTTPS on its PORT; undefined: it serves HTTP. */
export const serviceCertificate = declareCertificateFiles('SERVICE_TLS');

export const operationsPort = port('OPERATIONS_PORT', { optional: true });

export const mongodbUrl = url('MONGODB_URL', { optional: true, schemes: ['mongodb', 'mongodb+srv'], secret: true });

export const amqpUrl = url('AMQP_URL', { optional: true, schemes: ['amqp', 'amqps'], secret: true });

const publicUrlAsGiven = url('PUBLIC_URL', { optional: true });

export const publicUrl: Setting<string> = {
  name: publicUrlAsGiven.name,
  read(env) {
    const given = publicUrlAsGiven.read(env);
    if (given !== undefined) return given;
    try {
      return `https://localhost:${gatewayPort.read(env)}`;
    } catch (error) {
      // The invalid setting is the port, not PUBLIC_URL.
      throw new SettingsFault([`${gatewayPort.name}: ${(error as Error).message}`]);
    }
  },
};

/** The file in the data directory that stores a secret setting: `KEY_ENCRYPTION_KEY` → `key-encryption-key`. */
export function nameSecretFile(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** A secret of the installation from NAME or from the file that NAME_FILE names; undefined when neither is set. */
export function declareOptionalSecret(name: string): Setting<string | undefined> {
  return secret(name, { optional: true, pattern: /^.{16,}$/s, expected: 'at least 16 characters' });
}

/** Required: from NAME, the file that NAME_FILE names, or the data directory, where `npm start` stores it. */
export function declareInstallationSecret(name: string): Setting<string> {
  const given = declareOptionalSecret(name);
  return {
    name,
    read(env: Environment) {
      const folder = dataDirectory.read(env);
      const value = given.read(env) ?? readStoredSecret(folder, nameSecretFile(name));
      if (value !== undefined) return value;
      throw new Error(
        `is not set, nor stored in ${join(folder, nameSecretFile(name))}; every instance of a process needs the same one`,
      );
    },
  };
}

/** HKDF-SHA-256 (RFC 5869), 256 bits in base64url. It does not reveal the root or another process's secret. */
export function deriveServiceSecret(root: string, process: string): string {
  return Buffer.from(hkdfSync('sha256', root, '', `boxoffice service ${process}`, 32)).toString('base64url');
}

export const serviceRootSecret = declareInstallationSecret('SERVICE_ROOT_SECRET');

const given = declareOptionalSecret('SERVICE_SECRET');
const givenRoot = declareOptionalSecret(serviceRootSecret.name);

/** Required: SERVICE_SECRET, or derived from the root secret if the process has that. */
export function declareServiceSecret(process: string): Setting<string> {
  return {
    name: given.name,
    read(env) {
      const own = given.read(env);
      if (own !== undefined) return own;
      const directory = dataDirectory.read(env);
      const root = rootIn(env, directory);
      if (root !== undefined) return deriveServiceSecret(root, process);
      const path = join(directory, nameSecretFile(givenRoot.name));
      throw new Error(
        `is not set, nor can it be derived from ${path}; operator service-secrets prints that of ${process}`,
      );
    },
  };
}

/** @throws {SettingsFault} in the name of the root secret, not of the derived one */
const rootIn = (env: Environment, directory: string): string | undefined => {
  try {
    return givenRoot.read(env) ?? readStoredSecret(directory, nameSecretFile(givenRoot.name));
  } catch (error) {
    throw new SettingsFault([`${givenRoot.name}: ${(error as Error).message}`]);
  }
};

/** The same for the authorizer, which has the root secret. */
export function declareServiceSecretFromRoot(process: string): Setting<string> {
  return {
    name: serviceRootSecret.name,
    read: (env) => deriveServiceSecret(serviceRootSecret.read(env), process),
  };
}
