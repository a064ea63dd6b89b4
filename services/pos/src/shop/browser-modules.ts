/** The modules of the shop's pages that also run here: they draw first pages and write calendar files. */
type SharedModule =
  | 'calendar.js'
  | 'dom.js'
  | 'frame.js'
  | 'pages/calendar.js'
  | 'pages/show-head.js'
  | 'pages/shows.js'
  | 'texts/de.js'
  | 'texts/en.js'
  | 'texts/fr.js'
  | 'texts/index.js';

/** Loads a module of the pages, which browsers run as it is, so it has no types. Nothing else here runs one. */
export async function loadBrowserModule<Module>(name: SharedModule): Promise<Module> {
  return (await import(new URL(`../../browser/${name}`, import.meta.url).href)) as Module;
}
