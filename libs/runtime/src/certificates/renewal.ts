import { statSync } from 'node:fs';
import type { Logger } from '../logs/logger.ts';
import { type Certificate, type CertificateFiles, readCertificate } from './certificate.ts';

/** Whose certificate follows its files. */
export interface FollowOptions {
  readonly files: CertificateFiles;
  readonly logger: Logger;
  /** Makes a certificate the served one, as {@link Listening.renew} does. */
  renew(certificate: Certificate): void;
  /** Milliseconds between two looks at the files. */
  readonly everyMs?: number;
}

/** What changes when a file is written or replaced, a link in its path included; undefined while it is not there. */
const markOf = (path: string): string | undefined => {
  const { mtimeMs, ino, size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs === undefined ? undefined : `${mtimeMs} ${ino} ${size}`;
};

/**
 * Serves a renewed certificate without a restart: looks at the files now and then, and gives new connections what they
 * hold. While the pair is damaged or half replaced, the old one stays, which is logged once.
 */
export const followCertificate = (options: FollowOptions): { close(): void } => {
  const { renew, files, logger, everyMs = 30_000 } = options;
  const marks = (): string => `${markOf(files.cert.path)}, ${markOf(files.key.path)}`;
  let served = marks();
  let refused = '';
  const look = (): void => {
    const now = marks();
    if (now === served || now === refused) return;
    try {
      renew(readCertificate(files));
      served = now;
      refused = '';
      logger.info('the certificate was renewed');
    } catch (error) {
      refused = now;
      logger.warn('the new certificate cannot be served, the old one stays', { reason: (error as Error).message });
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
};
