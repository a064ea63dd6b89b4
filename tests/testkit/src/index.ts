// How acceptance, bench, release and smoke call a running product: as a client that knows only its addresses.

export {
  type Address,
  authorizationOf,
  type Call,
  type Client,
  type Credentials,
  dataOf,
  fetchOf,
  type Json,
  openClient,
  openVisitor,
  type Reply,
  type SendOptions,
  send,
  withToken,
} from './client.ts';
export { chromiumPath, freePort, freePorts, headlessPath } from './machine.ts';
export { type WaitOptions, waitUntil } from './wait.ts';
