import { readTexts, type Texts } from './institution.ts';

/** A title and its genre. */
export interface Title {
  readonly genre: 'opera' | 'ballet' | 'symphony' | 'recital' | 'family';
  readonly name: Texts;
}

/** In French, English and German. */
const operas = `
  La Flûte enchantée | The Magic Flute | Die Zauberflöte
  Les Noces de Figaro | The Marriage of Figaro | Die Hochzeit des Figaro
  L’Enlèvement au sérail | The Abduction from the Seraglio | Die Entführung aus dem Serail
  La Clémence de Titus | The Clemency of Titus | La clemenza di Tito
  Le Barbier de Séville | The Barber of Seville | Der Barbier von Sevilla
  L’Italienne à Alger | The Italian Girl in Algiers | Die Italienerin in Algier
  Guillaume Tell | William Tell | Wilhelm Tell
  L’Élixir d’amour | The Elixir of Love | Der Liebestrank
  La Fille du régiment | The Daughter of the Regiment | Die Regimentstochter
  Les Contes d’Hoffmann | The Tales of Hoffmann | Hoffmanns Erzählungen
  La Belle Hélène | The Beautiful Helen | Die schöne Helena
  Orphée aux enfers | Orpheus in the Underworld | Orpheus in der Unterwelt
  Le Vaisseau fantôme | The Flying Dutchman | Der fliegende Holländer
  L’Or du Rhin | The Rhinegold | Das Rheingold
  La Walkyrie | The Valkyrie | Die Walküre
  Le Crépuscule des dieux | Twilight of the Gods | Götterdämmerung
  Les Maîtres chanteurs de Nuremberg | The Mastersingers of Nuremberg | Die Meistersinger von Nürnberg
  Le Chevalier à la rose | The Knight of the Rose | Der Rosenkavalier
  La Femme sans ombre | The Woman without a Shadow | Die Frau ohne Schatten
  Ariane à Naxos | Ariadne on Naxos | Ariadne auf Naxos
  La Chauve-Souris | The Bat | Die Fledermaus
  La Veuve joyeuse | The Merry Widow | Die lustige Witwe
  Le Freischütz | The Marksman | Der Freischütz
  La Petite Renarde rusée | The Cunning Little Vixen | Das schlaue Füchslein
  La Fiancée vendue | The Bartered Bride | Die verkaufte Braut
  Eugène Onéguine | Eugene Onegin | Eugen Onegin
  La Dame de pique | The Queen of Spades | Pique Dame
  L’Amour des trois oranges | The Love for Three Oranges | Die Liebe zu den drei Orangen
  Le Château de Barbe-Bleue | Bluebeard’s Castle | Herzog Blaubarts Burg
  Le Tour d’écrou | The Turn of the Screw | Die Drehung der Schraube
  Le Couronnement de Poppée | The Coronation of Poppea | Die Krönung der Poppea
  Didon et Énée | Dido and Aeneas | Dido und Aeneas
  Orphée et Eurydice | Orpheus and Eurydice | Orpheus und Eurydike
  La Force du destin | The Force of Destiny | Die Macht des Schicksals
  Un bal masqué | A Masked Ball | Ein Maskenball
  Le Trouvère | The Troubadour | Der Troubadour
  Les Pêcheurs de perles | The Pearl Fishers | Die Perlenfischer
  Pelléas et Mélisande | Pelléas and Mélisande | Pelléas und Mélisande
  L’Enfant et les sortilèges | The Child and the Spells | Das Kind und der Zauberspuk
  L’Opéra de quat’sous | The Threepenny Opera | Die Dreigroschenoper`;

/** The same in every language. */
const sameOperas = `
  Don Giovanni, Così fan tutte, Idomeneo, Fidelio, Norma, I puritani, Lucia di Lammermoor, Don Pasquale,
  La Cenerentola, Nabucco, Macbeth, Rigoletto, La traviata, Simon Boccanegra, Don Carlos, Aida, Otello, Falstaff,
  Carmen, Faust, Roméo et Juliette, Manon, Werther, Thaïs, Samson et Dalila, Lakmé, Tannhäuser, Lohengrin,
  Tristan und Isolde, Siegfried, Parsifal, Salome, Elektra, Arabella, Capriccio, La Bohème, Tosca,
  Madama Butterfly, Turandot, Il trittico, Cavalleria rusticana, Pagliacci, Andrea Chénier, Boris Godounov,
  Rusalka, Jenůfa, Káťa Kabanová, Wozzeck, Lulu, Peter Grimes, Billy Budd, Giulio Cesare, Alcina, Rinaldo, Platée`;

const ballets = `
  Le Lac des cygnes | Swan Lake | Schwanensee
  Casse-Noisette | The Nutcracker | Der Nussknacker
  La Belle au bois dormant | The Sleeping Beauty | Dornröschen
  Le Sacre du printemps | The Rite of Spring | Le sacre du printemps
  L’Oiseau de feu | The Firebird | Der Feuervogel
  Cendrillon | Cinderella | Aschenputtel
  Roméo et Juliette (ballet) | Romeo and Juliet (ballet) | Romeo und Julia (Ballett)
  Le Songe d’une nuit d’été | A Midsummer Night’s Dream | Ein Sommernachtstraum
  La Belle et la Bête | Beauty and the Beast | Die Schöne und das Biest
  Le Corsaire | The Pirate | Der Korsar`;

const sameBallets = 'Giselle, La Sylphide, Coppélia, La Bayadère, Petrouchka, Spartacus, Raymonda, Boléro';

/** Each composer with the numbers of the symphonies in the programme. */
const cycles = `
  Beethoven: 1, 2, 3, 4, 5, 6, 7, 8, 9
  Mahler: 1, 2, 3, 4, 5, 6, 7, 9
  Brahms: 1, 2, 3, 4
  Bruckner: 4, 5, 6, 7, 8, 9
  Schubert: 4, 5, 8, 9
  Schumann: 1, 2, 3, 4
  Mendelssohn: 3, 4, 5
  Dvořák: 6, 7, 8, 9
  Sibelius: 1, 2, 3, 5, 7
  Nielsen: 3, 4, 5
  Tchaïkovski: 4, 5, 6
  Rachmaninov: 1, 2, 3
  Prokofiev: 1, 5, 6
  Chostakovitch: 1, 5, 7, 8, 9, 10, 11, 13, 15
  Mozart: 29, 35, 36, 38, 39, 40, 41
  Haydn: 45, 88, 92, 94, 100, 101, 103, 104`;

/** Each kind of recital, in French, English and German, with its composers. */
const recitals = `
  Récital de piano | Piano recital | Klavierabend: Bach, Beethoven, Chopin, Debussy, Liszt, Ravel, Schubert, Schumann, Scarlatti
  Récital de chant | Song recital | Liederabend: Brahms, Duparc, Fauré, Mahler, Poulenc, Schubert, Schumann, Strauss, Wolf
  Quatuor à cordes | String quartet | Streichquartett: Bartók, Beethoven, Borodine, Debussy, Haydn, Mozart, Ravel, Schubert, Janáček
  Sonates pour violon | Violin sonatas | Violinsonaten: Bach, Beethoven, Brahms, Fauré, Franck, Grieg, Mozart, Prokofiev, Ravel
  Récital d’orgue | Organ recital | Orgelkonzert: Alain, Bach, Buxtehude, Franck, Messiaen, Vierne, Widor`;

const families = `
  Pierre et le Loup | Peter and the Wolf | Peter und der Wolf
  Le Carnaval des animaux | The Carnival of the Animals | Der Karneval der Tiere
  Hansel et Gretel | Hansel and Gretel | Hänsel und Gretel
  La Flûte enchantée pour les enfants | The Magic Flute for children | Die Zauberflöte für Kinder
  Le Petit Prince | The Little Prince | Der kleine Prinz
  Le Chat botté | Puss in Boots | Der gestiefelte Kater
  Babar le petit éléphant | Babar the Elephant | Babar, der kleine Elefant
  Premier concert | My first concert | Mein erstes Konzert
  L’orchestre expliqué | The orchestra explained | Das Orchester stellt sich vor
  Berceuses du monde | Lullabies of the world | Wiegenlieder der Welt
  Contes d’hiver | Winter tales | Wintermärchen
  Concert du Nouvel An | New Year’s concert | Neujahrskonzert
  Le Noël des enfants | Children’s Christmas | Kinderweihnacht
  Les percussions en fête | Drums and more drums | Trommeln, Pauken, Klänge
  La ronde des contes | A round of fairy tales | Märchenreigen`;

const linesOf = (table: string): string[] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.trim());

const wordsOf = (list: string): string[] => list.trim().split(/,\s+/);

/** The lines of a table whose rows have a list after a colon, one for each entry. */
const expanded = (table: string, entry: (head: string, item: string) => string): string[] =>
  linesOf(table).flatMap((line) => {
    const [head = '', items = ''] = line.split(': ');
    return wordsOf(items).map((item) => entry(head, item));
  });

const list = (genre: Title['genre'], lines: readonly string[]): Title[] =>
  lines.map((line) => ({ genre, name: readTexts(['fr', 'en', 'de'], line) }));

/** The opera's repertoire of a season, each title once. */
export const titles: readonly Title[] = [
  ...list('opera', [...linesOf(operas), ...wordsOf(sameOperas)]),
  ...list('ballet', [...linesOf(ballets), ...wordsOf(sameBallets)]),
  ...list(
    'symphony',
    expanded(
      cycles,
      (name, nth) => `${name}, Symphonie nᵒ ${nth} | ${name}, Symphony No. ${nth} | ${name}, ${nth}. Sinfonie`,
    ),
  ),
  ...list(
    'recital',
    expanded(recitals, (kind, composer) => {
      const [fr, en, de] = kind.split(' | ');
      return `${fr} : ${composer} | ${en}: ${composer} | ${de}: ${composer}`;
    }),
  ),
  ...list('family', linesOf(families)),
];
