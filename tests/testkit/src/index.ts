// How acceptance, bench, release and smoke call a running product: as a client that knows only its addresses.

export { chromiumPath, headlessPath } from './chromium.ts';
export {
  type Address,
  type Call,
  type Client,
  dataOf,
  fetchOf,
  type Json,
  openClient,
  openVisitor,
  type Reply,
  type SendOptions,
  send,
} from './client.ts';
export { freePort, freePorts } from './ports.ts';
export { authorizationOf, type Credentials, withToken } from './token.ts';
export { type WaitOptions, waitUntil } from './wait.ts';
