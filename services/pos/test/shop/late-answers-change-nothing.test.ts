import { beforeAll, describe, expect, test } from '@jest/globals';
import { createWaitingRequests, importShopModule, usePlatform } from './fixture.ts';

const CONTACT = { contactNumber: 'C1' };
const cartOf = (...ids: readonly string[]) => ({
  id: 'ord_1',
  items: Object.fromEntries(ids.map((id) => [id, { id }])),
  codes: [],
});

describe('of two things done at once in a shop', () => {
  const { answer, platform, settled } = createWaitingRequests();
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

  usePlatform({
    ...platform,
    document: {
      get cookie() {
        return cookie;
      },
      set cookie(text: string) {
        cookie = text.includes('Max-Age=0') ? '' : text.replace(/;.*/, '');
      },
    },
    window: { addEventListener: () => undefined },
    sessionStorage: { removeItem: () => undefined },
    BroadcastChannel: Channel,
  });
  beforeAll(async () => {
    (await importShopModule('frame.js')).useShop({ serviceHost: 'tickets.example', language: 'en' });
    state = await importShopModule('state.js');
    ({ hasSession } = await importShopModule('api.js'));
  });

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
    // Prices of the contact.
    await answer(['PATCH shopping-cart/items/itm_1'], cartOf('itm_1'));
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
    await settled();
    expect([state.visitor.contact, shown()]).toEqual([CONTACT, ['itm_2']]);
  });
});
