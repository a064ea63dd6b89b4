import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contacts } from '@boxoffice/contacts';
import { createLogger } from '@boxoffice/runtime';
import { openEngines, startService } from '@boxoffice/service';
import { catalogRows } from './catalog-rows.ts';
import { startIdentities } from './client/identities.ts';
import { type Benchmark, quantile, round } from './measure/report.ts';

const SIZES = [1_000, 100_000, 1_000_000];
const PAGES = 300;
const BATCH = 20_000;

const contactDocument = (index: number) => {
  const createdAt = new Date(Date.UTC(2020, 0, 1) + index * 1000).toISOString();
  const email = `person${index}@example.org`;
  return {
    id: `C${String(index).padStart(12, '0')}`,
    contactNumber: `C${String(index).padStart(12, '0')}`,
    kind: 'individual',
    details: { lastName: `Person ${index}`, firstName: 'Ana', email, criteria: ['member'] },
    emailKey: email,
    uniqueEmail: email,
    createdAt,
    updatedAt: createdAt,
  };
};

/** Median milliseconds of a page of 20 over HTTP. */
const timePages = async (ask: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let turn = 0; turn < PAGES; turn += 1) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  return quantile(times, 0.5);
};

/** Pages of contacts, and the catalogue's responses. */
export const lists: Benchmark = {
  about: 'a page of 20 of 1k, 100k and 1M contacts, first and deep; the catalogue as 200 and as 304',
  async run(progress) {
    const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
    const logger = createLogger({ service: 'bench', level: 'error' });
    const engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger });
    const store = await engines.store('contacts', contacts.collections);
    const [collection] = contacts.collections;
    if (!collection) throw new Error('contacts has no collection');
    for (const size of SIZES) {
      progress(`writing ${size} contacts`);
      const documents = store.collection(collection).of(`with${size}`);
      for (let from = 0; from < size; from += BATCH) {
        const count = Math.min(BATCH, size - from);
        await documents.insertMany(
          Array.from({ length: count }, (_, index) => ({
            ...contactDocument(from + index),
            id: `${size}-${from + index}`,
          })),
        );
      }
    }
    const identities = await startIdentities('contacts');
    const service = await startService(contacts, {
      store,
      bus: engines.bus,
      authorizerUrl: identities.authorizerUrl,
      publicUrl: 'https://localhost:8443',
      serviceSecret: 'benchmark-service-secret',
      host: '127.0.0.1',
      port: 0,
      logger,
      settings: { duplicateEmailsPerMinute: 600 },
    });
    const page = async (size: number, limit: number, cursor: string) => {
      const response = await fetch(`${service.url}/svc/v3/contacts/individuals?limit=${limit}${cursor}`, {
        headers: identities.headers({
          institution: `with${size}`,
          operation: 'listIndividuals',
          scopes: ['contacts:read'],
        }),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as { data: { nextCursor: string | null } };
    };
    /** The cursor three quarters down the list. */
    const deepCursor = async (size: number): Promise<string> => {
      const limit = Math.min(500, size / 4);
      let cursor = '';
      for (let seen = 0; seen < size * 0.75; seen += limit)
        cursor = `&cursor=${encodeURIComponent(String((await page(size, limit, cursor)).data.nextCursor))}`;
      return cursor;
    };
    const rows: (string | number)[][] = [];
    for (const size of SIZES) {
      progress(`${size} contacts`);
      const cursor = await deepCursor(size);
      await timePages(() => page(size, 20, ''));
      rows.push([
        `${size} contacts`,
        await timePages(() => page(size, 20, '')),
        await timePages(() => page(size, 20, cursor)),
      ]);
    }
    await service.close();
    identities.close();
    await engines.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    const [small, , large] = rows;
    const first = Number(large?.[1]) / Number(small?.[1]);
    const deep = Number(large?.[2]) / Number(small?.[2]);
    return {
      name: 'lists',
      about: this.about,
      columns: ['', 'first page ms', 'deep page ms'],
      rows: [...rows, ...(await catalogRows(progress))],
      targets: [
        {
          what: '1M against 1k contacts, first page',
          target: '≤ 1.3 ×',
          reached: `${round(first)} ×`,
          met: first <= 1.3,
        },
        { what: '1M against 1k contacts, deep page', target: '≤ 1.3 ×', reached: `${round(deep)} ×`, met: deep <= 1.3 },
      ],
    };
  },
};
