import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reply } from '@boxoffice/testkit';
import { cpuSeconds, startChild } from '../measure/child.ts';
import type { Product } from '../measure/product.ts';
import type { Recorded } from '../programs/same-bytes.ts';

/** The baseline of the shop: a bare HTTPS proxy in front of a server that sends the shop's own bytes. */
export interface BareShop {
  readonly origin: string;
  /** CPU seconds that both have used so far. */
  cpu(): number;
  stop(): Promise<void>;
}

/** Headers of a connection, which a replayed response omits. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding']);

const recordedOf = ({ status, rawHeaders, bytes }: Reply): Recorded[string] => {
  const headers: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return { status, headers, base64: bytes.toString('base64') };
};

/** Starts both, each in its own process, with responses by `METHOD /path?query` and the product's certificate. */
export const startBareShop = async (
  { caFile }: Product,
  answers: Readonly<Record<string, Reply>>,
): Promise<BareShop> => {
  const directory = dirname(caFile);
  const file = join(directory, 'recorded-answers.json');
  const recorded = Object.entries(answers).map(([name, answer]) => [name, recordedOf(answer)]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(recorded)));
  const server = await startChild<{ url: string }>('same-bytes', [file]);
  const key = join(directory, 'development-key.pem');
  const proxy = await startChild<{ url: string }>('bare-proxy', [server.announced.url, caFile, key]);
  return {
    origin: proxy.announced.url,
    cpu: () => cpuSeconds(server.child.pid) + cpuSeconds(proxy.child.pid),
    async stop() {
      await proxy.stop();
      await server.stop();
    },
  };
};
