import { connect } from 'node:net';

const WITHIN_MS = 1_000;

/** Whether a broker's address accepts TCP connections: then the broker exists, even if it does not respond. */
export const accepts = ({ protocol, hostname, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const standard = protocol === 'amqps:' ? 5671 : 5672;
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || standard });
    const tell = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(WITHIN_MS, tell(false));
    socket.once('connect', tell(true)).once('error', tell(false));
  });
