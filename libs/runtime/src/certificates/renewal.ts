import { statSync } from 'node:fs';
import type { Logger } from '../logs/logger.ts';
import { type Certificate, type CertificateFiles, readCertificate } from './certificate.ts';

/** Options of `followCertificate`. */
interface FollowOptions {
  readonly files: CertificateFiles;
  readonly logger: Logger;
  /** Serves this certificate from now on, as {@link Listening.renew} does. */
  renew(certificate: Certificate): void;
  /** Milliseconds between two checks of the files. */
  readonly everyMs?: number;
}

/** Changes when the file is written or replaced, or a link in its path is; undefined while the file does not exist. */
const versionOf = (path: string): string | undefined => {
  const { mtimeMs, ino, size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs === undefined ? undefined : `${mtimeMs} ${ino} ${size}`;
};

/**
 * Serves a renewed certificate without a restart: checks the files regularly, and uses their certificate for new
 * connections. While the pair is damaged or half replaced, the old one stays, which is logged once.
 */
export const followCertificate = (options: FollowOptions): { close(): void } => {
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
};
