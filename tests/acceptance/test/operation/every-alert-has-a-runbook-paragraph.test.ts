import type { Json } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { readAlerts, readDashboards, readText } from './documents.ts';

/** The headings of the runbook's chapter on alerts. */
const paragraphs = (): Map<string, string> => {
  const part =
    readText('runbook.md')
      .split(/^## /m)
      .find((one) => one.startsWith('Alerts\n')) ?? '';
  const [, ...sections] = part.split(/^### /m);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n')).trim()]));
};

test('every alert links to its paragraph of the runbook, and every paragraph has an alert', () => {
  const written = paragraphs();
  expect(
    readAlerts()
      .map(({ alert }) => alert)
      .sort(),
  ).toEqual([...written.keys()].sort());
  for (const { alert, annotations } of readAlerts()) {
    expect(annotations.runbook_url).toBe(`deploy/runbook.md#${alert.toLowerCase()}`);
    expect(annotations.summary).not.toBe('');
    expect(written.get(alert)?.length).toBeGreaterThan(100);
  }
});

test('alerts.test.yml tests every alert', () => {
  const tried = readText('dashboards/alerts.test.yml');
  expect(readAlerts().filter(({ alert }) => !tried.includes(`alertname="${alert}"`))).toEqual([]);
});

test('panels have unique ids, do not overlap and fit the width', () => {
  for (const { panels } of readDashboards()) {
    expect(new Set(panels.map(({ id }: Json) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
    }
  }
});
