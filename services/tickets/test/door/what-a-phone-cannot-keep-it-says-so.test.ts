import { expect, test } from '@jest/globals';
import { describeOnEachEngine } from '../fixture/service.ts';
import { listScans } from '../fixture/tickets.ts';
import { openEvening, openPhone } from './phones.ts';

describeOnEachEngine('what a phone cannot keep it says so', (fixture) => {
  /** A phone with the list of an evening, and the barcodes of its tickets. */
  const begin = async (count: number) => {
    const { open, ...sold } = await openEvening(fixture, count);
    return { ...sold, ...(await open('North')) };
  };

  test.each([
    ['was cleared', 'clear', {}],
    ['ended without a word', 'end', {}],
    ['was closed by the browser', 'end', { isTold: true }],
  ] as const)('a database that %s is open and full again after a scan', async (_, happens, how) => {
    const { evening, memory, texts, setWeather, performanceId } = await begin(3);
    await evening.scan({ text: texts[0] });
    setWeather('none');
    await evening.scan({ text: texts[1] });
    memory.clear();
    if (happens === 'end') memory.end(how);
    expect(await evening.scan({ text: texts[2] })).toMatchObject({ result: 'admitted', isAlone: true });
    expect(evening.isLost()).toBe(false);
    // The page is closed and opened again.
    const again = await openPhone(fixture, { memory });
    expect([memory.count('lists'), memory.count('scans')]).toEqual([1, 3]);
    expect(again.evening.queue.pending()).toBe(2);
    expect(again.evening.isReady()).toBe(true);
    expect(await again.evening.scan({ text: texts[1] })).toMatchObject({ result: 'repeated' });
    await again.evening.synchronise();
    const recorded = await listScans(fixture, `performanceId=${performanceId}`);
    expect(recorded.filter(({ result }) => result === 'admitted')).toHaveLength(3);
  });

  test('queued scans are in two places until they are answered: losing either loses none', async () => {
    const { evening, memory, texts, setWeather } = await begin(2);
    setWeather('none');
    for (const text of texts) await evening.scan({ text });
    const waiting = () => Object.keys(memory.texts).filter((key) => key.startsWith('boxoffice.door.scan.'));
    expect(waiting()).toHaveLength(2);
    memory.clear();
    const later = await openPhone(fixture, { memory });
    expect(later.evening.queue.pending()).toBe(2);
    for (const key of waiting()) Reflect.deleteProperty(memory.texts, key);
    const last = await openPhone(fixture, { memory });
    expect([last.evening.queue.pending(), waiting().length]).toEqual([2, 2]);
    await last.evening.synchronise();
    await openPhone(fixture, { memory });
    expect(waiting()).toEqual([]);
  });

  test('a scan that can be kept nowhere has no verdict, and does not count', async () => {
    const { evening, memory, texts, tickets, setWeather } = await begin(1);
    setWeather('none');
    memory.refuse();
    const setItem = Reflect.get(memory.texts, 'setItem');
    const full = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    Object.setPrototypeOf(memory.texts, { ...Object.getPrototypeOf(memory.texts), setItem: full });
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(evening.scan({ text: texts[0] })).rejects.toThrow('cannot be kept');
      expect([evening.queue.pending(), evening.isLost()]).toEqual([0, true]);
    }
    Object.setPrototypeOf(memory.texts, { ...Object.getPrototypeOf(memory.texts), setItem });
    memory.refuse(false);
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'admitted' });
    setWeather('good');
    await evening.synchronise();
    expect(await fixture.ticket(String(tickets[0]?.id))).toMatchObject({ status: 'controlled' });
    expect(evening.isLost()).toBe(false);
  });

  test('what the server admits is shown and sent, although nothing can be kept', async () => {
    const { evening, memory, texts, setWeather } = await begin(2);
    memory.refuse();
    memory.end({ isTold: true });
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'admitted', isAlone: false });
    setWeather('none');
    expect(await evening.scan({ text: texts[1] })).toMatchObject({ result: 'admitted', isAlone: true });
    setWeather('good');
    await evening.synchronise();
    expect(evening.queue.pending()).toBe(0);
  });

  test('what the server admitted while the page ended, before anybody saw it, is taken back', async () => {
    const { evening, memory, texts, tickets, setWeather } = await begin(1);
    // The request arrives, and the page ends before the answer.
    setWeather('lost answers');
    const asked = evening.scan({ text: texts[0] });
    while (Object.keys(memory.texts).length === 0) await new Promise(setImmediate);
    const stored = structuredClone({ ...memory.texts });
    await asked;
    const other = await openPhone(fixture);
    Object.assign(other.memory.texts, stored);
    const again = await openPhone(fixture, { memory: other.memory });
    const id = String(tickets[0]?.id);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled' });
    await again.evening.synchronise();
    expect(await fixture.ticket(id)).toMatchObject({ status: 'printed' });
    expect(again.evening.queue.pending()).toBe(0);
  });
});
