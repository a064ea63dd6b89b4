import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { BODY_LIMIT_BYTES } from '@boxoffice/http';

/**
 * What a refused client goes on sending is read and thrown away, so that the answer reaches it and not a reset: until nothing has come for
 * a while, and within these bounds.
 */
const SILENCE_MS = 2_000;
const DRAIN_MS = 10_000;
const DRAIN_BYTES = 16_777_216;

/** Responses that were out before their requests had ended, and whose clients need not have waited for more. */
const early = new WeakSet<ServerResponse>();

/** Whether the whole answer was handed to the connection. */
export const isAnswered = (response: ServerResponse): boolean => response.writableFinished || early.has(response);

/** Whether some of the request's body is still to come. */
export const isBodyPending = ({ headers, complete, socket }: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return !complete && !socket.destroyed && (coding !== undefined || (length !== undefined && length !== '0'));
};

/** Whether the rest of the body is not worth waiting for: then the connection cannot be used for another request. */
export const closesConnection = ({ headers }: IncomingMessage, { code }: Fault): boolean =>
  code === 'payload_too_large' || code === 'request_timeout' || Number(headers['content-length']) > BODY_LIMIT_BYTES;

/**
 * Sends the body of an answer whose head says its length, and ends the response only when the request has ended or nobody waits for it any
 * more. An ended response would be too early for both: Node would close its connection with bytes unread, which resets it, and would
 * take a timeout of this request for one of the next, and answer that as well.
 */
export const drainThenEnd = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
  const { socket } = request;
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  early.add(response);
  let bytes = 0;
  const stop = (): void => {
    clearTimeout(silence);
    clearTimeout(whole);
    request.off('data', onData).off('end', end);
    response.off('close', stop);
  };
  const end = (): void => {
    stop();
    response.end();
  };
  const cut = (): void => {
    stop();
    socket.destroy();
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    silence.refresh();
    if (bytes > DRAIN_BYTES) cut();
  };
  const silence = setTimeout(cut, SILENCE_MS);
  const whole = setTimeout(cut, DRAIN_MS);
  request.on('data', onData).on('end', end);
  response.on('close', stop);
  request.resume();
};
