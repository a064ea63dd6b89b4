import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Metered {
  readonly institution: string;
  readonly apiKeyId: string | null;
  readonly clientId: string | null;
  readonly userId: string | null;
  readonly operation: string;
  readonly status: number;
  /** The key admitted it, so it counts against the key's quota. */
  readonly admitted: boolean;
  /** The size of the answer's body. */
  readonly bytes: number;
}

export interface CountedRequests extends Metered {
  /** ISO 8601 UTC. */
  readonly minute: string;
  /** Epoch milliseconds. */
  last: number;
  requests: number;
  bytes: number;
}

/** A report is sent, unchanged, until it is acknowledged, so that it counts once. */
export interface Report {
  readonly gateway: string;
  /** Counted from 1, without gaps. */
  readonly sequence: number;
  readonly rows: readonly CountedRequests[];
}

export interface Spool {
  /** Sorted by sequence within each process. */
  listUnsent(): readonly Report[];
  removeReport(report: Report): Promise<void>;
  /** Leaves reports to the next process. Rejects if they cannot be written. */
  leave(reports: readonly Report[]): Promise<void>;
}

export const noSpool: Spool = {
  listUnsent: () => [],
  removeReport: async () => undefined,
  leave: () => Promise.reject(new Error('there is no data directory')),
};

const FILE = /^usage-.+\.json$/;

/** Each stopped process has a file, which is removed when its last report was sent. */
export function createSpool(folder: string): Spool {
  /** The file of each report, and how many reports are in it. */
  const files = new Map<string, { readonly file: string; readonly reports: Set<string> }>();
  const toName = ({ gateway, sequence }: Report): string => `${gateway} ${sequence}`;

  const read = (file: string): readonly Report[] => {
    try {
      const stored: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return Array.isArray(stored) ? stored.filter(isReport) : [];
    } catch {
      return [];
    }
  };

  const names = (): string[] => {
    try {
      return readdirSync(folder).filter((name) => FILE.test(name));
    } catch {
      return [];
    }
  };

  return {
    listUnsent: () =>
      names().flatMap((file) => {
        const reports = read(file);
        const entry = { file, reports: new Set(reports.map(toName)) };
        for (const report of reports) files.set(toName(report), entry);
        return reports;
      }),
    async removeReport(report) {
      const entry = files.get(toName(report));
      if (!entry) return;
      files.delete(toName(report));
      entry.reports.delete(toName(report));
      if (entry.reports.size === 0) await rm(join(folder, entry.file), { force: true });
    },
    async leave(reports) {
      // What an earlier process left, and this one has not sent, is still in its own file.
      const own = reports.filter((report) => !files.has(toName(report)));
      if (own.length === 0) return;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `draft-${randomUUID()}`);
      await writeFile(draft, JSON.stringify(own), { mode: 0o600, flush: true });
      await rename(draft, join(folder, `usage-${randomUUID()}.json`));
    },
  };
}

const isReport = (value: unknown): value is Report => {
  const { gateway, sequence, rows } = (value ?? {}) as Partial<Report>;
  return typeof gateway === 'string' && typeof sequence === 'number' && Array.isArray(rows);
};
