import { readdirSync, readFileSync } from 'node:fs';
import type { Json } from '@boxoffice/testkit';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const DEPLOY = new URL('../../../../deploy/', import.meta.url);

/** A file below `deploy/`. */
export function readText(path: string): string {
  return readFileSync(new URL(path, DEPLOY), 'utf8');
}

/** The alert rules of `alerts.yml`, as Prometheus reads them. */
export function readAlerts(): Json[] {
  return parse(readText('dashboards/alerts.yml')).groups.flatMap(({ rules }: Json) => rules);
}

/** The Grafana dashboards. */
export function readDashboards(): Json[] {
  return readdirSync(new URL('dashboards/', DEPLOY))
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, ...JSON.parse(readText(`dashboards/${file}`)) }));
}

/** The metrics in a PromQL expression, with Grafana's variables substituted. @throws {Error} on invalid PromQL */
export function listMetrics(given: string): string[] {
  const expr = given.replaceAll('$__rate_interval', '5m');
  const names: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expr}`);
      if (type.name === 'VectorSelector') names.push(expr.slice(from, node.firstChild?.to ?? to));
    },
  });
  return names;
}

/** The metric of a series: a histogram has several. */
export function toMetricName(name: string): string {
  return name.replace(/_(?:bucket|count|sum)$/, '');
}

/** The first cells of the rows of every table of a Markdown file. */
export function listFirstCells(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => String(name));
}
