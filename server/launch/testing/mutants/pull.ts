import type { Mutant } from './mutant.ts'

const PULL = { file: 'worker/edge/pull/pull.ts', test: 'worker/edge/pull/pull.test.ts' }
const GATE = { file: 'worker/edge/pull/pull-gate.ts', test: 'worker/edge/pull/pull-gate.test.ts' }
const FETCH = { file: 'worker/edge/pull/fetch-copy.ts', test: 'worker/edge/pull/remote-copy.test.ts' }
const INSTALL = { file: 'worker/edge/pull/install-copy.ts', test: 'worker/edge/pull/pull-worker.test.ts' }

/** The pull of a node (S): what it may overwrite, by what, and what it leaves. */
export const pullMutants: readonly Mutant[] = [
  {
    ...PULL,
    invariant: 'S5',
    breaks: 'rows that exist only here are looked at after the worker was stopped',
    from: 'if (ahead > 0 && !options.acceptsLoss) throw localAhead(ahead)',
    to: '',
    name: 'rows that exist only here stop it before the worker is',
  },
  {
    ...INSTALL,
    invariant: 'S5',
    breaks: 'rows that come after the comparison are lost without having been asked for',
    from: 'acceptedLoss: acceptsLoss ? Number.MAX_SAFE_INTEGER : 0,',
    to: 'acceptedLoss: Number.MAX_SAFE_INTEGER,',
    test: PULL.test,
    name: 'rows that come after the comparison %s',
  },
  {
    ...PULL,
    invariant: 'S5',
    breaks: 'old backups go only after a pull that succeeded',
    from: `      } finally {
        options.onStep('retention')`,
    to: `      } catch (error) {
        throw error
        options.onStep('retention')`,
    name: 'rows that exist only here stop it before the worker is',
  },
  {
    ...PULL,
    invariant: 'S7',
    breaks: 'what a killed pull left stays for ever',
    from: 'await sweepTemporaries(folder)',
    to: '',
    test: 'worker/edge/pull/pull-killed.test.ts',
    name: 'killed before %s, the %s database stands',
  },
  {
    ...PULL,
    invariant: 'S7',
    breaks: 'a pull that fails leaves the copy it fetched',
    from: 'await removeDatabase(copy.path)',
    to: '',
    name: 'rows that exist only here stop it with their number',
  },
  {
    ...PULL,
    invariant: 'S7',
    breaks: 'a pull that was asked to stop goes on',
    from: `  refuseWhenStopped(context.stopped)
  const installed`,
    to: '  const installed',
    name: 'asked to stop while it fetches',
  },
  {
    ...PULL,
    invariant: 'S6',
    breaks: 'a copy that was never vacuumed is pulled again and again',
    from: '(await digestContent(copy.path, Number.MAX_SAFE_INTEGER)).contentSha256',
    to: 'copy.contentSha256',
    test: FETCH.test,
    name: 'the copy of a node of today that was never vacuumed',
  },
  {
    ...PULL,
    invariant: 'S6',
    breaks: 'a database that changed since it was read counts as unchanged',
    file: 'worker/edge/pull/remember-pull.ts',
    from: 'return read.value.source === (await fileMark(database))',
    to: 'return true',
    name: 'a database that nobody touched since',
  },
  {
    ...GATE,
    invariant: 'M8',
    breaks: 'a lease that cannot be read makes a secondary',
    from: "if (look === null || look.role === 'unknown')",
    to: "if (look?.role === 'unknown') return\n  if (look === null)",
    name: 'with %s',
  },
  {
    ...GATE,
    invariant: 'M8',
    breaks: 'the primary overwrites what only it may publish',
    from: "if (look.role === 'secondary' || local === null",
    to: "if (look.role !== 'unknown' || local === null",
    name: 'with %s',
  },
  {
    ...GATE,
    invariant: 'M3',
    breaks: 'the term that this node has seen is forgotten by a pull',
    file: 'worker/edge/ledger/sync-state.ts',
    from: "const known = before.state === 'read' ? knownTerm(before.value, state) : {}",
    to: "const known = before.state === 'lost' ? knownTerm(before.value, state) : {}",
    name: 'a term that this node has seen is not forgotten',
  },
  {
    ...FETCH,
    invariant: 'S4',
    breaks: 'a copy with other counts than its manifest is taken',
    from: '  if (wrong)\n',
    to: '  if (wrong === undefined && remote.sha256 === "")\n',
    name: 'a remote copy that %s changes nothing here',
  },
  {
    ...FETCH,
    invariant: 'S4',
    breaks: 'a copy with another content digest than its manifest is taken',
    from: 'remote.contentSha256 !== examined.contentSha256',
    to: 'remote.contentSha256 === ""',
    name: 'a remote copy that %s changes nothing here',
  },
  {
    ...FETCH,
    invariant: 'S2',
    breaks: 'a torn copy of a node of today is not looked at again',
    from: 'retries === RETRIES',
    to: 'retries >= 0',
    name: 'a push that ends while bytes and pointer do not fit',
  },
  {
    ...FETCH,
    invariant: 'S2',
    breaks: 'a missing snapshot is replaced by the mirror of another push',
    file: 'worker/edge/pull/open-remote-copy.ts',
    from: 'if (named !== null && named !== sha256)',
    to: 'const other = named && (await store.read(mirror, named))\n  if (other) return other\n  if (named !== null && named !== sha256)',
    name: 'the mirror of another copy than the pointer names',
  },
  {
    ...INSTALL,
    invariant: 'S3',
    breaks: 'the database is replaced under a worker at work',
    from: 'const stopped = await stopWorker(host, settings)',
    to: "const stopped: StopOutcome = 'shut-down'",
    name: 'the worker is stopped before the backup',
  },
  {
    ...INSTALL,
    invariant: 'S3',
    breaks: 'a worker that was not at work is started',
    from: "if (!restartsWorker || stopped === 'not-running' || stopped === 'unidentified') return null",
    to: 'if (!restartsWorker) return null',
    name: 'a worker that was not at work is not started',
  },
  {
    ...INSTALL,
    invariant: 'S3',
    breaks: 'a pull that fails leaves the worker stopped',
    from: `    const why = await start()
    if (why !== null) context.say`,
    to: `    const why = null
    if (why !== null) context.say`,
    name: 'a pull that fails after the worker was stopped starts it again',
  },
]
