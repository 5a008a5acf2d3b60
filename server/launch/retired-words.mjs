/**
 * Private words that were replaced by the field's terms. A lower-case word counts wherever it is one part of a name
 * (`door` in `useDoorText`, `door-title.tsx`, `app/(door)`); any other word only as the whole name.
 *
 * `scope` names the folders that are searched. `enforced: false` marks a word that is still in use there; it is looked for only
 * with `--all` (words.mjs).
 *
 * @typedef {{ word: string, instead: string, scope: 'ui' | 'server', enforced: boolean }} RetiredWord
 */

/** @type {(scope: RetiredWord['scope'], enforced: boolean) => (pair: string[]) => RetiredWord} */
const retired =
  (scope, enforced) =>
  ([word = '', instead = '']) => ({ word, instead, scope, enforced })

const UI = [
  ['door', 'auth (pages, frame, title)'],
  ['farewell', 'signedOut'],
  ['LeavePage', 'ExternalLinkPage'],
  ['told', 'event, calls, described'],
  ['gather', 'batch'],
  ['misfit', 'mismatch'],
  ['frozen', 'stable'],
  ['freeze', 'stabilize'],
  ['LOOK', 'STATUS_STYLES'],
  ['STEP_LOOK', 'STEP_STYLES'],
  ['StatusLook', 'StatusStyle'],
  ['acts', 'actions, mutations, commands'],
  ['useAct', 'useToastMutation'],
  ['give', 'run'],
  ['NEXT', 'CURSOR_PAGES'],
  ['usePages', 'useInfiniteRows'],
  ['JobWay', 'JobTimeline'],
  ['StatePath', 'StateStepper'],
  ['OnceShown', 'ZoneCredentials'],
  ['ZoneNote', 'ZoneBanner'],
  ['PhoneBar', 'TabBar'],
  ['KeySheet', 'ShortcutHelp'],
  ['Waits', 'CountBadge'],
  ['Standing', 'ProposalBanner, RunSummary'],
  ['showAddress', 'pushUrl'],
  ['ask', 'send, request'],
  ['reread', 'invalidate'],
  ['OpenZone', 'CreateZone'],
].map(retired('ui', true))

const SERVER = [
  ['gateOf', 'requestGuards'],
  ['placeToCursor', 'positionToCursor'],
  ['takeTries', 'takeAttempts'],
  ['restJob', 'scheduleRetry'],
  ['restOne', 'scheduleRetry'],
  ['restUntil', 'retryAt'],
  ['restForJob', 'waitForJob'],
  ['exhaust', 'fail permanently'],
  ['HeldJob', 'LeasedJob'],
  ['Hold', 'Lease'],
  ['LET_GO', 'LEASE_RELEASED'],
  ['giveBack', 'releaseLease'],
  ['troubled', 'lost or cancelled'],
  ['keeper', 'supervisor'],
  ['onward', 'advanceOneStep'],
  ['stillHeld', 'hasLease'],
  ['anybodyWaits', 'hasQueued'],
  ['tellWaiting', 'updateWaitReasons'],
  ['startHeads', 'startEligible'],
  ['adopt', 'restore from object'],
  ['noteJob', 'recordJob'],
  ['bell', 'wake signal'],
  ['breathe', 'yield to the event loop'],
  ['notion', 'concept'],
  ['worth', 'score'],
  ['fading', 'decay'],
  ['speaksOf', 'matches'],
  ['SAYS', 'MESSAGES'],
  ['WORDS', 'MESSAGES'],
  ['lowered', 'version not raised'],
  ['askNow', 'executeAndRecord'],
  ['Booking', 'record'],
  ['workStarters', 'entryHandlers'],
  ['CAME_TO_NOTHING', 'CLOSED_WITHOUT_EFFECT'],
  ['livingSuccessor', 'openSuccessor'],
  ['sight', 'visibility filter'],
  ['wholeReader', 'requireFullAccess'],
  ['LEAST_NOTE', 'MIN_NOTE_LENGTH'],
  ['MOST', 'MAX_'],
  ['AT_MOST', 'MAX_'],
  ['LONGEST', 'MAX_'],
  ['refuseTwins', 'rejectCaseCollisions'],
].map(retired('server', true))

/** Still in use in the server. */
const IN_USE = [
  ['door', 'ClientInfo, ports'],
  ['doors', 'ports, gateways'],
  ['hint', 'notify'],
  ['hints', 'notifier'],
  ['tell', 'insert event'],
  ['told', 'event fields'],
  ['gather', 'micro-batcher'],
  ['move', 'transition'],
  ['hot', 'prepared'],
  ['keyed', 'by key'],
  ['Place', 'cursor position'],
  ['tries', 'attempts'],
  ['rests', 'paused, locked'],
  ['bury', 'dead-letter'],
  ['wake', 'release'],
  ['settle', 'handle result'],
  ['Held', 'Lease'],
  ['held', 'leased'],
  ['lose', 'lease lost'],
  ['heard', 'acknowledged'],
  ['places', 'concurrency'],
  ['bring', 'upsert'],
  ['strayRef', 'unknownReference'],
  ['saying', 'logStep'],
  ['sayFault', 'printError'],
].map(retired('server', false))

/** Every retired word with the term that took its place. */
export const RETIRED_WORDS = [...UI, ...SERVER, ...IN_USE]
