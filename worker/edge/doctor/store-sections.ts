import type { Settings } from '../config/settings.ts'
import { reasonOf } from '../fault.ts'
import { openNodeStore, storePlace } from '../store/open-node-store.ts'
import { readStoreFacts, type StoreFacts } from '../store/store-facts.ts'
import { line, type Section, timeOf } from './section.ts'

/** The sections that need the store, and what the database's section compares with. */
export type StoreSections = {
  store: Section
  lock: Section
  leadership: Section
  /** Observations of the remote copy, or null while that is not known. */
  remoteObservations: number | null
}

/** A report should not wait long for a store that does not answer. */
const LIMITS = { attempts: 1, timeoutMs: 5_000 }

/** Reads the store once for all sections. Nothing is written. */
export async function storeSections(settings: Settings, canonicalId: string | null): Promise<StoreSections> {
  const place = storePlace(settings)
  if (place === null || canonicalId === null) {
    const missing = place === null ? 'MINIO_ENDPOINT' : 'CLAUDE_PROJECT_ID'
    const none = unknownSection('DEGRADED', `not configured (${missing} not set)`)
    return { store: none, lock: none, leadership: none, remoteObservations: null }
  }
  try {
    const facts = await readStoreFacts(await openNodeStore(settings, LIMITS), canonicalId)
    return {
      store: storeSection(place, facts),
      lock: lockSection(facts.lock),
      leadership: leadershipSection(facts.lease),
      remoteObservations: facts.pointer.state === 'read' ? (facts.pointer.value.observations ?? null) : null,
    }
  } catch (error) {
    const why = reasonOf(error)
    const unread = unknownSection('ERROR', 'UNKNOWN (the store was not read)')
    return {
      store: {
        verdict: 'ERROR',
        lines: [line('store', place), line('state', why)],
        facts: { place, state: why },
      },
      lock: unread,
      leadership: unread,
      remoteObservations: null,
    }
  }
}

const unknownSection = (verdict: Section['verdict'], state: string): Section => ({
  verdict,
  lines: [line('state', state)],
  facts: { state },
})

function storeSection(place: string, { pointer }: StoreFacts): Section {
  const probe = 'not run'
  const facts = { place, probe, pointer }
  const head = [line('store', place), line('probe', `${probe} (it writes; doctor only reads)`)]
  if (pointer.state === 'unreadable')
    return { verdict: 'ERROR', lines: [...head, line('remote copy', pointer.why)], facts }
  if (pointer.state === 'absent' || pointer.value.sha256 === null)
    return { verdict: 'OK', lines: [...head, line('remote copy', 'none yet')], facts }
  const { sha256, observations, db_size, timestamp, term } = pointer.value
  const lines = [
    ...head,
    line('remote copy', sha256),
    line('observations', observations ?? 'unknown'),
    line('size', db_size === null || db_size === undefined ? 'unknown' : `${db_size} bytes`),
    line('pushed', typeof timestamp === 'number' ? timeOf(timestamp) : (timestamp ?? 'unknown')),
    line('term', term ?? 0),
  ]
  return { verdict: 'OK', lines, facts }
}

function lockSection(lock: StoreFacts['lock']): Section {
  const facts = { lock }
  if (lock.state === 'unreadable')
    return { verdict: 'ERROR', lines: [line('status', `UNREADABLE, counts as taken: ${lock.why}`)], facts }
  if (lock.state === 'absent' || lock.value.released || lock.value.timestamp === 0)
    return { verdict: 'OK', lines: [line('status', 'FREE')], facts }
  const { hostname, node_id, timestamp, ttl_seconds } = lock.value
  const ttl = ttl_seconds === null || ttl_seconds === undefined ? '' : ` (TTL ${ttl_seconds}s)`
  return {
    verdict: 'OK',
    lines: [
      line('status', `TAKEN${ttl}`),
      line('holder', node_id ?? hostname),
      line('since', timeOf(timestamp)),
    ],
    facts,
  }
}

function leadershipSection(lease: StoreFacts['lease']): Section {
  const facts = { lease }
  if (lease.state === 'unreadable')
    return { verdict: 'ERROR', lines: [line('lease', `UNREADABLE, nobody is primary: ${lease.why}`)], facts }
  if (lease.state === 'absent') return { verdict: 'DEGRADED', lines: [line('lease', 'none yet')], facts }
  const { primary_node_id, expires_at, epoch, term, needs_ui_selection } = lease.value
  const lines = [
    line('primary', primary_node_id),
    line('lease until', timeOf(expires_at)),
    line('epoch', epoch),
    line('term', term ?? 'unknown'),
    ...(needs_ui_selection
      ? [line('selection', 'needs_ui_selection: confirm the primary in the console')]
      : []),
  ]
  return { verdict: needs_ui_selection ? 'DEGRADED' : 'OK', lines, facts }
}
