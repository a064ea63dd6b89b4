import { X509Certificate } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { Check } from '../listen/health.ts';
import { within } from '../time/index.ts';
import type { Metrics } from './metrics.ts';

/** Less than the timeout of a gauge, so that an unresponsive dependency is reported as well. */
const PATIENCE_MS = 1_000;

const answers = async (check: Check): Promise<boolean> => {
  const answered = check().then(
    () => true,
    () => false,
  );
  return within(answered, PATIENCE_MS, () => false);
};

/** Metrics of every process: its version, and whether its dependencies respond. */
export const watchSurroundings = (
  metrics: Metrics,
  { name, version }: { readonly name: string; readonly version: string },
  checks: Readonly<Record<string, Check>>,
): void => {
  const info = { name: 'service_info', help: 'The version that runs; always 1', labels: ['service', 'version'] };
  metrics.watch(info, () => [{ value: 1, labels: { service: name, version } }]);
  const up = {
    name: 'dependency_up',
    help: 'Whether what the service depends on answers',
    labels: ['service', 'dependency'],
  };
  for (const [dependency, check] of Object.entries(checks)) {
    metrics.watch(up, async () => {
      return [{ value: (await answers(check)) ? 1 : 0, labels: { service: name, dependency } }];
    });
  }
};

/** Until when the served certificate (PEM) is valid; no value where HTTP is served. */
export const watchCertificate = (metrics: Metrics, service: string, served: () => string | undefined): void => {
  const name = 'certificate_expiry_timestamp_seconds';
  const meter = { name, help: 'Until when the certificate that is served is good', labels: ['service'] };
  metrics.watch(meter, () => {
    const pem = served();
    if (pem === undefined) return [];
    return [{ value: new X509Certificate(pem).validToDate.getTime() / 1_000, labels: { service } }];
  });
};

/** The free space of the data directory's file system. */
export const watchDirectory = (metrics: Metrics, directory: string): void => {
  const room = async () => statfs(directory);
  const free = { name: 'data_directory_free_bytes', help: 'Room left in the file system of the data directory' };
  metrics.watch(free, async () => {
    const { bavail, bsize } = await room();
    return [{ value: bavail * bsize }];
  });
  const size = { name: 'data_directory_size_bytes', help: 'Size of the file system of the data directory' };
  metrics.watch(size, async () => {
    const { blocks, bsize } = await room();
    return [{ value: blocks * bsize }];
  });
};
