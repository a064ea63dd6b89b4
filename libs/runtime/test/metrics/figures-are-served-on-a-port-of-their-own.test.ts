import { expect, test } from '@jest/globals';
import { createMetrics, listen, serveOperations } from '../../src/index.ts';

test('requests and own figures are served at /metrics, shared by services of one process', async () => {
  const metrics = await createMetrics();
  const meter = { name: 'relay_published_total', help: 'x', labels: ['service'] };
  metrics.counter(meter)({ service: 'catalog' }, 2);
  metrics.counter(meter)({ service: 'contacts' });
  const listening = await listen((_request, response) => response.writeHead(204).end(), {
    host: '127.0.0.1',
    port: 0,
    metrics,
  });
  const operations = await serveOperations({ host: '127.0.0.1', port: 0, metrics });
  await fetch(listening.url);
  await listening.close();

  const response = await fetch(`${operations.url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const text = await response.text();
  expect(text).toContain('http_server_request_duration_seconds_count{method="GET",status="204"} 1');
  expect(text).toContain('relay_published_total{service="catalog"} 2');
  expect(text).toContain('relay_published_total{service="contacts"} 1');
  expect(text).toContain('process_resident_memory_bytes');
  expect((await fetch(`${operations.url}/other`)).status).toBe(404);
  await operations.close();
});
