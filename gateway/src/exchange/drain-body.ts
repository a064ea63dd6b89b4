import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { BODY_LIMIT_BYTES } from '@boxoffice/http';

/**
 * The rest of a refused request's body is read and discarded within these bounds, so that the client receives the
 * response instead of a connection reset.
 */
const SILENCE_MS = 2_000;
const DRAIN_MS = 10_000;
const DRAIN_BYTES = 16_777_216;

/** Responses that were sent completely before their request had ended. */
const early = new WeakSet<ServerResponse>();

/** Whether the whole response was handed to the connection. */
export const isAnswered = (response: ServerResponse): boolean => response.writableFinished || early.has(response);

/** Whether part of the request's body has not arrived yet. */
export const isBodyPending = ({ headers, complete, socket }: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return !complete && !socket.destroyed && (coding !== undefined || (length !== undefined && length !== '0'));
};

/** Whether the rest of the body is too much to wait for, so that the connection must be closed. */
export const closesConnection = ({ headers }: IncomingMessage, { code }: Fault): boolean =>
  code === 'payload_too_large' || code === 'request_timeout' || Number(headers['content-length']) > BODY_LIMIT_BYTES;

/**
 * Sends a body whose length the head declares, and ends the response only when the request has ended or the drain
 * bounds are reached. Ending it earlier would make Node close the connection with unread bytes, which resets it, and
 * would let a timeout of this request answer the next one on the connection.
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
