import { describe, expect, test } from '@jest/globals';
import { listen, StartFault } from '../../src/index.ts';

describe('listen', () => {
  test.each([
    ['one socket each', false, false],
    ['several sockets each', true, true],
    ['one socket, the other program several', true, false],
    ['several sockets, the other program one', false, true],
  ])('with %s, the message names the port and its setting when another program uses it', async (_, others, own) => {
    const first = await listen((_request, response) => response.end(), { host: '127.0.0.1', port: 0, isBusy: others });
    const options = { host: '127.0.0.1', port: first.port, setting: 'GATEWAY_PORT', isBusy: own };
    const second = listen(() => undefined, options);
    await expect(second).rejects.toThrow(
      new StartFault(`GATEWAY_PORT: port ${first.port} of 127.0.0.1 is in use by another program`),
    );
    await first.close();
  });
});
