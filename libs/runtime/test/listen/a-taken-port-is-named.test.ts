import { describe, expect, test } from '@jest/globals';
import { listen, StartFault } from '../../src/index.ts';

describe('listen', () => {
  test('the message names the port and its setting when another program uses it', async () => {
    const first = await listen((_request, response) => response.end(), { host: '127.0.0.1', port: 0 });
    const second = listen(() => undefined, { host: '127.0.0.1', port: first.port, setting: 'GATEWAY_PORT' });
    await expect(second).rejects.toThrow(
      new StartFault(`GATEWAY_PORT: port ${first.port} of 127.0.0.1 is in use by another program`),
    );
    await first.close();
  });
});
