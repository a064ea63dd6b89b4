// How acceptance, bench, release and smoke call a running product: as a client that knows only its addresses.

export {
  type Address,
  authoriseClient,
  type Call,
  type Client,
  type Credentials,
  createFetch,
  type Json,
  openClient,
  openVisitor,
  type Reply,
  readData,
  requestAuthorization,
  type SendOptions,
  send,
} from './client.ts';
export { findChromium, findFreePort, findFreePorts, findHeadlessChromium } from './machine.ts';
export { createAuthorizationRequest, keepCookies, readCode, sendForm } from './sign-in.ts';
export { type WaitOptions, waitUntil } from './wait.ts';
