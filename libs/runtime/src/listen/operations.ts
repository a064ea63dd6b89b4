import type { Metrics } from '../metrics/metrics.ts';
import type { Health } from './health.ts';
import { type Listening, listen } from './listen.ts';

interface OperationsOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
  readonly health?: Health;
}

/** Serves `/metrics` (and health) on a separate port, which is not published. */
export const serveOperations = ({ host, port, metrics, health }: OperationsOptions): Promise<Listening> =>
  listen(
    (request, response) => {
      const readable = request.method === 'GET' || request.method === 'HEAD';
      if (!readable || request.url?.split('?', 1)[0] !== '/metrics') {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('GET /metrics is here\n');
        return;
      }
      metrics.text().then(
        ({ type, text }) => response.writeHead(200, { 'Content-Type': type }).end(text),
        () => response.writeHead(500).end(),
      );
    },
    { host, port, health, setting: 'OPERATIONS_PORT' },
  );
