import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendReply, sendWhole } from './reply.ts';

/** Above the size of any error of the point of sale. */
const MOST_BYTES = 65_536;

/** Whether the body is a 500 of family B with its two consequence members. */
const reportsConsequences = (body: Buffer): boolean => {
  try {
    const { success, errorCode, userLoggedOut, orderCancelled } = JSON.parse(body.toString('utf8'));
    const isError = success === false && typeof errorCode === 'string';
    return isError && typeof userLoggedOut === 'boolean' && typeof orderCancelled === 'boolean';
  } catch {
    return false;
  }
};

/**
 * Forwards a 5xx of the point of sale if it is a family B 500; `foreign` answers any other, which an intermediary sent.
 * The response is buffered first, because it is rare and small.
 */
export const relayFailure = (
  reply: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  foreign: () => void,
): void => {
  const { statusCode } = reply;
  if (statusCode === 500 && response.req.method === 'HEAD') {
    sendReply(reply, response, headers, foreign);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  reply.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) {
      chunks.push(chunk);
      return;
    }
    foreign();
    reply.destroy();
  });
  reply.on('error', foreign);
  reply.on('end', () => {
    const body = Buffer.concat(chunks);
    if (statusCode === 500 && reportsConsequences(body)) sendWhole(response, 500, headers, body);
    else foreign();
  });
};
