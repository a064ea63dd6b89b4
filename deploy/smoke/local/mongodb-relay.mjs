import { connect, createServer } from 'node:net';

// Stands where MongoDB would: passes every connection on to the server behind a socket that the smoke test mounts here.
const SOCKET = process.env.MONGODB_SOCKET ?? '/mongodb/server.sock';

createServer((near) => {
  const far = connect(SOCKET);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.pipe(far);
  far.pipe(near);
}).listen(27017, '0.0.0.0');

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
