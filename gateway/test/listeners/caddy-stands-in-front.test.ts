import { describeBehindProxy } from '../fixtures/behind-a-proxy.ts';
import type { ProxyProgram } from '../fixtures/proxies.ts';

const gateway = (port: number): string => `reverse_proxy 127.0.0.1:${port}`;

const caddy: ProxyProgram = {
  command: 'caddy',
  configuration: 'Caddyfile',
  adapt: ({ port, gatewayPort, certificate, key }) => ({
    '{\n\tservers {': '{\n\tadmin off\n\tauto_https off\n\tservers {',
    'tickets.example {': `:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
    'reverse_proxy 127.0.0.1:8080': gateway(gatewayPort),
  }),
  args: (configuration) => ['run', '--adapter', 'caddyfile', '--config', configuration],
};

// 503 from when it has noticed that none is ready.
describeBehindProxy(caddy, gateway, [502, 503]);
