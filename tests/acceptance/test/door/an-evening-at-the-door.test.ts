import { expect, test } from '@jest/globals';
import { describeAtDoor } from './door-fixture.ts';
import { describeScanners, describeStewards, FILM } from './evening.ts';

// One installation and one browser for all phones, which are used concurrently.
describeAtDoor('an evening at the door', FILM, (door) => {
  describeStewards(door);
  describeScanners(door);

  // The last one: it stops the product.
  test('the page opens while the installation cannot be reached, and decides', async () => {
    const [phone, ticket] = [await door.phoneAt('Alone', { locale: 'de-CH' }), door.fresh()];
    await phone.page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await phone.page.waitForFunction('navigator.serviceWorker.controller !== null');
    await door.product.stop();
    await phone.page.close();
    const again = await phone.reopen();
    // Keys count once the page for scanning is there.
    await again.page.locator('.link').waitFor();
    await again.read(ticket.barcode);
    expect(await again.result()).toContain(`green: ${again.t('results.admitted')}`);
    await again.close();
  }, 600_000);
});
