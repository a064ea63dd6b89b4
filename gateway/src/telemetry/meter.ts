import { randomUUID } from 'node:crypto';
import { type Interval, type Logger, repeat } from '@boxoffice/runtime';
import type { Exchange } from '../exchange/exchange.ts';
import { getSentStatus } from './request-log.ts';
import type { CountedRequests, Metered, Report, Spool } from './spool.ts';

interface MeterOptions {
  /** Resolves when the report is durable. */
  readonly send: (report: Report) => Promise<void>;
  readonly spool: Spool;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** True if there is something to report beside the counts. Default: never. */
  readonly hasMore?: () => boolean;
  readonly gateway?: string;
  readonly everyMs?: number | undefined;
  readonly now?: () => number;
}

export type Meter = ReturnType<typeof createMeter>;

/** Milliseconds: with the time of a write below the ten seconds that a killed gateway may lose. */
const REPORT_MS = 5_000;

const MOST_ROWS = 2_000;

/** Milliseconds for which reports are remembered whose inclusion in a key's use has not been seen yet. */
const SEEN_MS = 60_000;

const MINUTE_MS = 60_000;

interface KeyCount {
  readonly sequence: number;
  readonly month: string;
  readonly at: number;
  count: number;
}

/** Writes nothing per request: memory is bounded by the number of different requests a minute. */
export function createMeter(options: MeterOptions) {
  const { send, spool, logger, hasMore = () => false, gateway = randomUUID(), now = Date.now } = options;
  const { everyMs = REPORT_MS } = options;
  let open = new Map<string, CountedRequests>();
  /** The oldest count of each. Epoch milliseconds. */
  let openSince = 0;
  let formedSince = 0;
  /** The oldest comes first. While there are any, no more are formed. */
  let formed: Report[] = [];
  let sequence = 0;
  const keyCounts = new Map<string, KeyCount[]>();
  const inFlight = new Map<string, number>();
  let sending: Promise<boolean> | undefined;
  let reporting: Interval | undefined;
  let isReachable = true;
  let minuteText = '';
  let minuteEnd = 0;

  const formatMinute = (at: number): string => {
    if (at >= minuteEnd || at < minuteEnd - MINUTE_MS) {
      const start = at - (at % MINUTE_MS);
      minuteEnd = start + MINUTE_MS;
      minuteText = new Date(start).toISOString();
    }
    return minuteText;
  };

  const countKey = (apiKeyId: string, minute: string, at: number): void => {
    const counts = keyCounts.get(apiKeyId) ?? [];
    keyCounts.set(apiKeyId, counts);
    const month = minute.slice(0, 7);
    // The report that the request will be in, or the first of several.
    const next = sequence + 1;
    const last = counts.at(-1);
    if (last && last.sequence === next && last.month === month) last.count += 1;
    else counts.push({ sequence: next, month, at, count: 1 });
  };

  const takeOpen = (): Report[] => {
    const rows = [...open.values()];
    open = new Map();
    const reports: Report[] = [];
    for (let first = 0; first < rows.length; first += MOST_ROWS) {
      sequence += 1;
      reports.push({ gateway, sequence, rows: rows.slice(first, first + MOST_ROWS) });
    }
    return reports;
  };

  const form = (): void => {
    if (formed.length > 0) return;
    formedSince = openSince;
    formed = takeOpen();
  };

  const nothing = (): Report => {
    sequence += 1;
    return { gateway, sequence, rows: [] };
  };

  /** Forgets reports that the authorizer's answers include by now. */
  const forget = (at: number): void => {
    const waiting = formed.find((report) => report.gateway === gateway);
    const acknowledged = waiting ? waiting.sequence - 1 : sequence;
    for (const [apiKeyId, counts] of keyCounts) {
      const kept = counts.filter((count) => count.sequence > acknowledged || count.at > at - SEEN_MS);
      if (kept.length > 0) keyCounts.set(apiKeyId, kept);
      else keyCounts.delete(apiKeyId);
    }
  };

  const deliver = async (even?: 'nothing'): Promise<boolean> => {
    try {
      form();
      if (formed.length === 0 && (even || hasMore())) await send(nothing());
      for (; formed[0]; form()) {
        const [report] = formed;
        await send(report);
        formed = formed.slice(1);
        await spool.removeReport(report);
      }
      if (!isReachable) logger.info('the counted requests are reported again');
      isReachable = true;
    } catch (error) {
      if (isReachable) logger.warn('the counted requests cannot be reported; they are kept', { error });
      isReachable = false;
    }
    forget(now());
    return formed.length === 0 && open.size === 0;
  };

  /** Resolves to whether nothing is left. Never rejects. `even`: even if nothing is counted. */
  const flush = (even?: 'nothing'): Promise<boolean> => {
    sending ??= deliver(even).finally(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    gateway,
    record({ institution, apiKeyId, clientId, userId, operation, status, admitted, bytes }: Metered): void {
      const at = now();
      const minute = formatMinute(at);
      const key = `${minute} ${institution} ${apiKeyId} ${clientId} ${userId} ${operation} ${status} ${admitted}`;
      const row = open.get(key);
      if (row) {
        row.requests += 1;
        row.bytes += bytes;
        row.last = at;
      } else {
        if (open.size === 0) openSince = at;
        open.set(key, {
          institution,
          minute,
          apiKeyId,
          clientId,
          userId,
          operation,
          status,
          admitted,
          requests: 1,
          bytes,
          last: at,
        });
      }
      if (apiKeyId !== null && admitted) countKey(apiKeyId, minute, at);
    },
    /** A request with this key counts against a quota from its admission on. */
    startRequest(apiKeyId: string): void {
      inFlight.set(apiKeyId, (inFlight.get(apiKeyId) ?? 0) + 1);
    },
    finishRequest(apiKeyId: string): void {
      const left = (inFlight.get(apiKeyId) ?? 1) - 1;
      if (left > 0) inFlight.set(apiKeyId, left);
      else inFlight.delete(apiKeyId);
    },
    /** Counts the calendar month (`2027-03`) without reports up to the given one; with those in flight. */
    usedSince(apiKeyId: string, reportedUpTo: number, month: string): number {
      let used = inFlight.get(apiKeyId) ?? 0;
      for (const count of keyCounts.get(apiKeyId) ?? []) {
        if (count.sequence > reportedUpTo && count.month === month) used += count.count;
      }
      return used;
    },
    /** Requests that are not acknowledged yet; the age of the oldest in milliseconds. */
    backlog() {
      const rows = [...formed.flatMap((report) => report.rows), ...open.values()];
      const requests = rows.reduce((sum, row) => sum + row.requests, 0);
      const since = formed.length > 0 ? formedSince : openSince;
      return { requests, ageMs: requests === 0 ? 0 : Math.max(0, now() - since) };
    },
    flush,
    /** Reports first what earlier processes have left. */
    start(): void {
      formedSince = now();
      formed = [...spool.listUnsent(), ...formed];
      reporting = repeat(() => flush(), { everyMs, atOnce: true, failed: () => undefined });
    },
    /** What cannot be reported is left to the next process of the same data directory. */
    async close(): Promise<void> {
      await reporting?.close();
      if (await flush()) return;
      await spool.leave([...formed, ...takeOpen()]).catch((error: unknown) => {
        logger.warn('counted requests are lost: they could neither be reported nor left for the next start', { error });
      });
    },
  };
}

const NO_OPERATION = 'none';

/** Counts only with a verified token or a valid API key. */
export function countExchange(meter: Pick<Meter, 'record' | 'finishRequest'>, exchange: Exchange): void {
  const { claims, apiKey, admittedKey, route, response, bytesOut } = exchange;
  const institution = claims?.institution ?? apiKey?.institution;
  if (institution === undefined) return;
  meter.record({
    institution,
    apiKeyId: apiKey?.apiKeyId ?? null,
    clientId: claims?.client_id ?? null,
    // The subject of a client's own token is the client.
    userId: claims === undefined || claims.sub === claims.client_id ? null : claims.sub,
    operation: route?.operation ?? NO_OPERATION,
    status: getSentStatus(response),
    admitted: admittedKey !== undefined,
    bytes: bytesOut,
  });
  if (admittedKey !== undefined) meter.finishRequest(admittedKey);
}
