import { connect, createServer } from 'node:net';

// node relay.mjs FROM TO [HOST]: relays connections; each end is a port or the path of a Unix socket. HOST is the
// address to listen on, default every one.

const [from, to, host = '0.0.0.0'] = process.argv.slice(2);
const isPort = (end) => /^\d+$/.test(end);

const server = createServer({ noDelay: true }, (near) => {
  const far = isPort(to) ? connect({ port: Number(to), host: '127.0.0.1', noDelay: true }) : connect(to);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.pipe(far);
  far.pipe(near);
});
if (isPort(from)) server.listen(Number(from), host);
else server.listen({ path: from, readableAll: true, writableAll: true });

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
