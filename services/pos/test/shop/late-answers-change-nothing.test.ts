import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importShopModule } from './fixture.ts';

const ORIGIN = 'https://shop.test';
const CONTACT = { contactNumber: 'C1' };
const cartOf = (...ids: readonly string[]) => ({
  id: 'ord_1',
  items: Object.fromEntries(ids.map((id) => [id, { id }])),
});

describe('of two things done at once in a shop', () => {
  const names = ['document', 'location', 'window', 'BroadcastChannel', 'fetch'] as const;
  const platform = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const outside = fetch;
  /** The requests that wait for an answer, in the order in which they were made. */
  const open: { readonly call: string; readonly answer: (response: Response) => void }[] = [];
  let cookie = '';
  let tellTab: (message: { readonly data: object }) => void;
  let state: Awaited<ReturnType<typeof importShopModule>>;
  let hasSession: () => boolean;

  class Channel {
    set onmessage(listener: typeof tellTab) {
      tellTab = listener;
    }
    postMessage(): void {}
  }

  beforeAll(async () => {
    (await importShopModule('frame.js')).useShop({ serviceHost: 'tickets.example', language: 'en' });
    state = await importShopModule('state.js');
    ({ hasSession } = await importShopModule('api.js'));
    const parts = {
      document: {
        get cookie() {
          return cookie;
        },
        set cookie(text: string) {
          cookie = text.includes('Max-Age=0') ? '' : text.replace(/;.*/, '');
        },
      },
      location: { origin: ORIGIN },
      window: { addEventListener: () => undefined },
      BroadcastChannel: Channel,
      fetch: (address: URL | string, init: RequestInit) => {
        if (!`${address}`.startsWith(ORIGIN)) return outside(address, init);
        const { pathname } = new URL(address);
        const { promise, resolve } = Promise.withResolvers<Response>();
        open.push({ call: `${init.method} ${pathname.replace('/tnwr/vexp/', '')}`, answer: resolve });
        return promise;
      },
    };
    for (const name of names)
      Object.defineProperty(globalThis, name, { value: parts[name], configurable: true, writable: true });
  });

  afterAll(() => {
    for (const [name, descriptor] of platform) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });

  /** Answers the oldest of the requests, which must be the only ones, once the shop has done what it can. */
  const answer = async (calls: readonly string[], data: object, at = 0): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(open.map(({ call }) => call)).toEqual(calls);
    const [first] = open.splice(at, 1);
    first?.answer(Response.json({ success: true, data }));
  };

  /** A tab that shows a cart of these items. */
  const enter = async (...ids: readonly string[]): Promise<void> => {
    cookie = 'boxoffice.session.tickets.example=token';
    const restored = state.restore();
    await answer(['GET sessions/current'], { contactNumber: null });
    await answer(['GET shopping-cart'], cartOf(...ids));
    await restored;
  };
  const otherTabWrites = (): void => tellTab({ data: { hasSession: true } });
  const shown = (): readonly string[] => state.cartItems().map(({ id }: { id: string }) => id);

  test('a cart that was asked for before another tab changed it is not shown after it', async () => {
    await enter('itm_1');
    const loaded = state.loadCart();
    otherTabWrites();
    await answer(['GET shopping-cart', 'GET sessions/current'], { contactNumber: null }, 1);
    await answer(['GET shopping-cart', 'GET shopping-cart'], cartOf('itm_2'), 1);
    await answer(['GET shopping-cart'], cartOf('itm_1'));
    await loaded;
    expect(shown()).toEqual(['itm_2']);
  });

  test('a logout comes after what was changed before it, whose cart is not shown after it', async () => {
    await enter('itm_1', 'itm_2');
    state.cart.remove('itm_1');
    const out = state.logOut();
    await answer(['DELETE shopping-cart/items/itm_1'], cartOf('itm_2'));
    await answer(['DELETE sessions/current'], {});
    await out;
    expect([shown(), hasSession()]).toEqual([[], false]);
  });

  test('a login comes after what is taken over from another tab, which knows nothing of it', async () => {
    await enter();
    otherTabWrites();
    await answer(['GET sessions/current'], { contactNumber: null });
    const login = state.logIn('ana', 'secret');
    await answer(['GET shopping-cart'], cartOf());
    await answer(['POST sessions'], CONTACT);
    await answer(['GET contacts/C1'], CONTACT);
    await answer(['GET shopping-cart'], cartOf('itm_1'));
    await login;
    expect([state.visitor.contact, shown()]).toEqual([CONTACT, ['itm_1']]);
  });

  test('what another tab does while this one is restored is taken over afterwards', async () => {
    cookie = 'boxoffice.session.tickets.example=token';
    const restored = state.restore();
    otherTabWrites();
    await answer(['GET sessions/current'], CONTACT);
    await answer(['GET contacts/C1'], CONTACT);
    await answer(['GET shopping-cart'], cartOf('itm_1'));
    await restored;
    await answer(['GET sessions/current'], CONTACT);
    await answer(['GET shopping-cart'], cartOf('itm_2'));
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect([state.visitor.contact, shown()]).toEqual([CONTACT, ['itm_2']]);
  });
});
