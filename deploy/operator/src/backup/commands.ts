// Backups of an installation on files: taking, verifying and restoring them.

import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { type Installation, Refused, versions } from '../installation.ts';
import { createProgress } from '../progress.ts';
import { putBack } from './put-back.ts';
import { takeBackup } from './take.ts';

/** @throws {Refused} when the data are in a database with its own backup tools */
const requireFiles = ({ engines }: Installation): void => {
  if (engines.store === 'SQLite') return;
  throw new Refused(
    'MONGODB_URL is set: back up MongoDB with mongodump --oplog or its provider’s snapshots, see deploy/kubernetes/README.md',
  );
};

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

export const backups: readonly Command[] = [
  {
    name: 'backup',
    usage: 'DIR',
    about:
      'copies the data directory, also while the product runs: every database as of one moment, the keys and credentials beside them (protect the backup like those), and a manifest with checksums; DIR must be new or empty',
    async run(installation, { words: [target = ''] }) {
      requireFiles(installation);
      const progress = createProgress('backup');
      const startedAt = performance.now();
      const { manifest, pausedMs } = await takeBackup(target, {
        data: installation.directory,
        versions,
        tell: progress.tell,
      }).finally(progress.end);
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
      const notes = [
        ...manifest.elsewhere.map((name) => `${name} is not stored in the data directory: back it up separately`),
        ...(installation.engines.bus === 'RabbitMQ'
          ? [
              'messages in RabbitMQ are not included: empty the queues before a restore, and run facts republish after it',
            ]
          : []),
      ];
      return {
        backup: resolve(target),
        takenAt: manifest.takenAt,
        files: manifest.files.length,
        size: megabytes(bytes),
        writersPausedMs: Math.round(pausedMs * 10) / 10,
        seconds: Math.round((performance.now() - startedAt) / 100) / 10,
        ...(notes.length > 0 ? { notes: notes.join('; ') } : {}),
      };
    },
  },
  {
    name: 'restore',
    usage: 'DIR [--force]',
    about:
      'puts a backup into the data directory (BOXOFFICE_DATA_DIR), which must be empty and not in use, after verifying its versions and checksums; --force: moves existing content aside, into a folder there',
    data: 'made',
    async run(installation, { words: [source = ''], options }) {
      requireFiles(installation);
      const progress = createProgress('restore');
      const { manifest, aside } = await putBack(source, {
        data: installation.directory,
        versions,
        force: options.force === true,
        tell: progress.tell,
      }).finally(progress.end);
      return {
        restored: installation.directory,
        takenAt: manifest.takenAt,
        files: manifest.files.length,
        ...(aside === undefined ? {} : { before: aside }),
        next:
          installation.engines.bus === 'RabbitMQ'
            ? 'npm start, npm run operator -- facts republish, then npm run operator -- check'
            : 'npm start, then npm run operator -- check',
        ...(manifest.elsewhere.length > 0 ? { neededFromElsewhere: manifest.elsewhere } : {}),
      };
    },
  },
];
