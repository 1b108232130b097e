/** A word that the project no longer uses, and what it says instead. */
export interface GoneWord {
  pattern: RegExp;
  instead: string;
}

const word = (pattern: RegExp, instead: string): GoneWord => ({ pattern, instead });

/** In names that the project declares. One word has one meaning, and it is the word of the field. */
export const identifiers: readonly GoneWord[] = [
  word(/^needs$|[a-z]Needs$/, "deps, XDeps"),
  word(/^ground$|Ground$/, "fixture, harness, context"),
  word(/^(judge|judging|judgement|verdict)/i, "decide, evaluate; parse response"),
  word(/^(gatherer|createGatherer)$/i, "batcher"),
  word(/^(enclosed|enclosure)s?$/i, "side effect"),
  word(/^handingOut$|^handedOut$/i, "delivery cursor, delivered"),
  word(/^census$|Census/, "snapshot"),
  word(/^lanes$|Lanes/, "pipelined connections"),
  word(/^(tally|books)$/i, "deltas, balances, totals"),
  word(/^(applicant|announcer|gate)$/i, "candidate, registrar, registration policy"),
  word(/^(parcel|shipment)/i, "outgoing transaction"),
  word(/^(waitingRoom|createWaitingRoom)/i, "load shedding, concurrency limiter"),
  word(/^(create)?(freshCopy|fileCopy)$/i, "refreshing cache, file watcher"),
  word(/^(party|story|cast|stage|crowd|contest|entrance)$/i, "demo client, scenario, load clients, comparison, target"),
  word(/^unhurried$/i, "asynchronous commit"),
  word(/^(suspects?|createSuspects)$/i, "recently limited"),
  word(/^(wishes|manner|extent)$/i, "options, mode, profile"),
  word(/^surroundings/i, "runtime"),
  word(/deeds/i, "commands"),
  word(/^bells?$|createBells/i, "wake-up signals"),
  word(/foundation$/i, "infrastructure"),
  word(/^(takeTurn|createTurns)$/, "lease run, keyed mutex"),
  word(/^safetyNet$|createSafetyNet/i, "reconciliation"),
  word(/^(obstacle|leaving|dressUp)$/i, "blocked reason, removal"),
  word(/^breach(es)?$/i, "breaking change"),
  word(/[wW]orkplace/, "CLI context"),
  word(/^layFoundation$/, "create infrastructure"),
  word(/frontDoor/i, "HTTP server"),
  word(/^(freshCopy|waitingRoom|handingOut)/i, "refreshing cache, load shedding, delivery cursor"),
];

/** In comments and pages: English as an engineer writes it today. */
export const prose: readonly GoneWord[] = [
  word(/\bwhoever\b/, "who"),
  word(/\bwhichever\b/, "which"),
  word(/\banew\b/, "again"),
  word(/\bwould else\b/, "would otherwise"),
  word(/\bunhurried\b/, "asynchronous commit"),
  word(/\bsurroundings\b/, "runtime, environment"),
  word(/\bdeeds?\b/, "command, action"),
  word(/\bfloor plan\b/, "table of modules"),
  word(/\bfront door\b/, "HTTP layer"),
  word(/\bparcels?\b/, "outgoing transaction"),
  word(/\bnot at hand\b/, "not available"),
  word(/\bsafety net\b/, "reconciliation poll"),
  word(/\bwaiting room\b/, "load shedding"),
  word(/\bdress(ed)? up\b/, "wrap, adapt"),
  word(/\benclosures?\b/, "transactional side effect"),
  word(/\bshipments?\b/, "outgoing transaction"),
  word(/\bannouncers?\b/, "registrar"),
  word(/\btaken for granted\b/, "default"),
];
