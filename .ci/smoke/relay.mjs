import { connect, createServer } from 'node:net';

// node relay.mjs FROM TO: relays connections; each end is a port or the path of a Unix socket.

const [from, to] = process.argv.slice(2);
const isPort = (end) => /^\d+$/.test(end);

const server = createServer((near) => {
  const far = isPort(to) ? connect(Number(to), '127.0.0.1') : connect(to);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.pipe(far);
  far.pipe(near);
});
if (isPort(from)) server.listen(Number(from), '0.0.0.0');
else server.listen({ path: from, readableAll: true, writableAll: true });

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
