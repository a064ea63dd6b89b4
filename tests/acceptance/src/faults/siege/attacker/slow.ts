import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import type { AttackPlan } from './attack-plan.ts';
import type { Budget } from './budget.ts';
import type { Tally } from './tally.ts';

const EVERY_MS = 1_000;

/** Sends a request's headers (or its body) a byte a second until the product ends it; resolves with how it ended. */
const sendSlowly = async (plan: AttackPlan, from: string, slow: 'headers' | 'body'): Promise<string> => {
  const { hostname, port } = new URL(plan.address.baseUrl);
  const connection = connectPlain({ host: '127.0.0.1', port: Number(port), localAddress: from });
  connection.on('error', () => undefined);
  const ca = plan.address.ca;
  const socket = connect({ socket: connection, servername: hostname, ...(ca === undefined ? {} : { ca }) });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text.slice(0, 100);
  });
  socket.on('error', () => undefined);
  const start = 'POST /tnwr/v1/shopping-cart/items HTTP/1.1\r\nHost: localhost\r\n';
  const shop = `X-Service-Host: ${plan.serviceHost}\r\nContent-Type: application/json\r\n`;
  const body = `${shop}Content-Length: 100000\r\n\r\n{`;
  let timer: NodeJS.Timeout | undefined;
  socket.once('secureConnect', () => {
    socket.write(slow === 'body' ? start + body : `${start}X-Slow: `);
    timer = setInterval(() => socket.write(slow === 'body' ? ' ' : 'x'), EVERY_MS);
  });
  await once(socket, 'close').catch(() => undefined);
  clearInterval(timer);
  return /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'closed';
};

/** Keeps `plan.slow` sockets busy, half with slow headers, half with slow bodies, until `over` returns true. */
export const sendAllSlowly = (plan: AttackPlan, budget: Budget, tally: Tally, over: () => boolean): void => {
  const goOn = async (index: number): Promise<void> => {
    const slow = index % 2 === 0 ? 'headers' : 'body';
    const from = plan.from[index % plan.from.length] ?? '127.0.0.1';
    while (!over()) {
      await budget.turn();
      tally.ended(slow === 'body' ? 'slow bodies' : 'slow headers', await sendSlowly(plan, from, slow));
    }
  };
  for (let index = 0; index < plan.slow; index++) void goOn(index);
};
