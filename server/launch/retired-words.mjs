/**
 * Private words that were replaced by the field's terms. A lower-case word counts wherever it is one part of a name
 * (`door` in `useDoorText`, `door-title.tsx`, `app/(door)`); any other word only as the whole name.
 *
 * `scope` names the folders that are searched.
 *
 * @typedef {{ word: string, instead: string, scope: 'ui' | 'server' }} RetiredWord
 */

/** @type {(scope: RetiredWord['scope']) => (pair: string[]) => RetiredWord} */
const retired =
  (scope) =>
  ([word = '', instead = '']) => ({ word, instead, scope })

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
].map(retired('ui'))

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
  ['bell', 'tick signal'],
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
  ['door', 'ClientInfo, ports'],
  ['doors', 'ports, gateways'],
  ['tell', 'insert event, log'],
  ['told', 'event fields, answer'],
  ['gather', 'micro-batcher'],
  ['move', 'transition'],
  ['hot', 'prepared'],
  ['keyed', 'byKey, hmac'],
  ['Place', 'Position, Location'],
  ['tries', 'attempts'],
  ['rests', 'paused, locked'],
  ['wake', 'requestTick, release'],
  ['settle', 'handle result, end'],
  ['Held', 'Lease, Owner'],
  ['held', 'leased, locked, blocked'],
  ['lose', 'markLeaseLost'],
  ['heard', 'received, notified'],
  ['places', 'positions, concurrency'],
  ['bring', 'upsert, start'],
  ['strayRef', 'unknownReference'],
  ['saying', 'logStep'],
  ['sayFault', 'printError'],
].map(retired('server'))

/** Every retired word with the term that took its place. */
export const RETIRED_WORDS = [...UI, ...SERVER]
