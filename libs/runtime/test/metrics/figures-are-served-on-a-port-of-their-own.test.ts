import { expect, test } from '@jest/globals';
import { createMetrics, listen, serveOperations } from '../../src/index.ts';

test('requests, by service, and own figures are served at /metrics, shared by services of one process', async () => {
  const metrics = await createMetrics();
  const meter = { name: 'relay_published_total', help: 'x', labels: ['service'] };
  metrics.counter(meter)({ service: 'catalog' }, 2);
  metrics.counter(meter)({ service: 'contacts' });
  const options = { host: '127.0.0.1', port: 0 };
  const service = await listen((_request, response) => response.writeHead(204).end(), {
    ...options,
    observe: metrics.requests('catalog'),
  });
  const gateway = await listen(
    (_request, response) => void fetch(service.url).then(({ status }) => response.writeHead(status).end()),
    { ...options, observe: metrics.requests('gateway') },
  );
  const operations = await serveOperations({ host: '127.0.0.1', port: 0, metrics });
  await fetch(gateway.url);
  await gateway.close();
  await service.close();

  const response = await fetch(`${operations.url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const text = await response.text();
  for (const name of ['gateway', 'catalog']) {
    const labels = `service="${name}",method="GET",status="204"`;
    expect(text).toContain(`http_server_request_duration_seconds_count{${labels}} 1`);
  }
  expect(text).toContain('relay_published_total{service="catalog"} 2');
  expect(text).toContain('relay_published_total{service="contacts"} 1');
  expect(text).toContain('process_resident_memory_bytes');
  expect((await fetch(`${operations.url}/other`)).status).toBe(404);
  await operations.close();
});
