import { connect } from 'node:net';

/**
 * Sends bytes over a connection of its own and returns all bytes received until the server closes it (or `until` is
 * seen).
 */
export const exchangeRaw = (
  url: string,
  parts: readonly (string | Buffer)[],
  until?: string,
): Promise<{ text: string; closed: boolean; failed?: string }> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = '';
    const settle = (closed: boolean, failed?: string) => {
      resolve({ text, closed, failed });
      socket.destroy();
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
      if (until !== undefined && text.includes(until)) settle(false);
    });
    socket.on('end', () => settle(true));
    socket.on('error', (error) => settle(true, error.message));
    for (const part of parts) socket.write(part);
  });
