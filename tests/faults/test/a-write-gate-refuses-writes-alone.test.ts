import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { commandOf, divided, openWriteGate, type WriteGate } from '../src/deployment/links/write-gate.ts';

/** An OP_MSG whose document has one element, the command with the value 1. */
const message = (command: string, requestId: number): Buffer => {
  const name = Buffer.from(`\x10${command}\0`);
  const document = Buffer.alloc(4 + name.length + 4 + 1);
  document.writeInt32LE(document.length, 0);
  name.copy(document, 4);
  document.writeInt32LE(1, 4 + name.length);
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(2013, 12);
  return Buffer.concat([head, document]);
};

let server: Server;
let gate: WriteGate;
let client: Socket;
let reached: string[];

beforeEach(async () => {
  reached = [];
  // Returns each message, so that the client sees which ones it got.
  server = createServer((socket) => {
    socket.on('data', (chunk) => {
      reached.push(...divided(chunk).messages.map((one) => commandOf(one) ?? 'unknown'));
      socket.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  gate = await openWriteGate(`mongodb://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  const { port, hostname } = new URL(gate.url);
  client = connect(Number(port), hostname);
  await once(client, 'connect');
});
afterEach(async () => {
  client.destroy();
  await gate.close();
  server.close();
});

const answerTo = async (sent: readonly Buffer[]): Promise<Buffer> => {
  const answer = once(client, 'data');
  for (const part of sent) client.write(part);
  const [received] = await answer;
  return received;
};

test('while it refuses, a write is answered as by a primary that has stepped down, and a read reaches the server', async () => {
  gate.refuse(true);
  const refused = await answerTo([message('findAndModify', 42)]);
  expect(refused.readInt32LE(0)).toBe(refused.length);
  expect(refused.readInt32LE(8)).toBe(42);
  expect(refused.toString('latin1')).toContain('NotWritablePrimary');
  expect(refused.includes(Buffer.from('\x10code\0\x7b\x27\0\0', 'latin1'))).toBe(true);
  expect(gate.refused()).toBe(1);
  expect(commandOf(await answerTo([message('find', 43)]))).toBe('find');
  expect(reached).toEqual(['find']);
});

test('otherwise everything reaches the server, also a message that arrives in parts', async () => {
  const whole = message('insert', 1);
  expect(commandOf(await answerTo([whole.subarray(0, 9), whole.subarray(9)]))).toBe('insert');
  expect(gate.refused()).toBe(0);
});
