import type { PushEnd, PushFailure } from '#domain/leadership/push-outcome.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import type { SyncContext } from '../sync/node-context.ts'
import { readLease, readPointer } from '../sync/read-objects.ts'
import type { PushRun } from './run-push.ts'

/**
 * How a push that did not end well is told: stable first words, what happened, and the next command to type [edge#commands].
 */
type Ended<K extends PushEnd['outcome']> = Extract<PushEnd, { outcome: K }>

/** The fault of this end; `null` where it is none. */
export async function faultOf(node: SyncContext, { outcome: end, job }: PushRun): Promise<EdgeFault | null> {
  switch (end.outcome) {
    case 'pushed':
    case 'up_to_date':
      return null
    case 'refused':
      return end.message === 'stale_term' ? staleTerm(end) : await secondary(node, end)
    case 'blocked':
      return said(lockText(end.by))
    case 'mirror_incomplete': {
      const why = job.fault === null ? '' : `: ${reasonOf(job.fault)}`
      return said(`COMMITTED, mirror incomplete — run push again (membridge push)${why}`)
    }
    case 'unknown':
      return new EdgeFault(
        'the store did not answer whether this push was committed: run membridge push again, which finds out',
      )
    case 'failed':
      return await failure(node, end, job.fault)
  }
}

const said = (message: string, exitCode = 1): EdgeFault => new EdgeFault(message, { label: '', exitCode })

const staleTerm = ({ term, found, exit }: Ended<'refused'>): EdgeFault =>
  said(
    `STALE TERM: this push began with term ${term}, and term ${found} counts now: another node became primary. Run membridge leadership, then membridge pull`,
    exit,
  )

async function secondary(node: SyncContext, { term, exit }: Ended<'refused'>): Promise<EdgeFault> {
  const { settings, canonicalId, nodeId } = node
  const lease = await readLease(node)
  const holder =
    lease.state === 'valid' || lease.state === 'expired' ? lease.lease.primary_node_id : 'unknown'
  const address = `${settings.MEMBRIDGE_SERVER_URL.replace(/\/+$/, '')}/projects/${canonicalId}/leadership/select`
  const body = JSON.stringify({ primary_node_id: nodeId })
  const lines = [
    `SECONDARY: push blocked by default. The primary of term ${term} is ${holder}, this node is ${nodeId}.`,
    `To make this node the primary, select it in the console, or: curl -X POST ${address} -H "X-MEMBRIDGE-ADMIN: $MEMBRIDGE_ADMIN_KEY" -H "Content-Type: application/json" -d '${body}'`,
    'To push once all the same: ALLOW_SECONDARY_PUSH=1 membridge push',
  ]
  return said(lines.join('\n'), exit)
}

function lockText({ state, holder, ageSeconds, ttlSeconds }: Ended<'blocked'>['by']): string {
  const held = `held by ${holder ?? 'another node'} for ${Math.round(ageSeconds)}s (TTL ${ttlSeconds}s)`
  const force = 'or now: FORCE_PUSH=1 membridge push'
  if (state === 'active') return `LOCK ACTIVE — ${held}. Run membridge push when it has ended, ${force}`
  if (state === 'grace')
    return `LOCK RECENTLY EXPIRED (grace) — ${held}. Run membridge push in a minute, ${force}`
  return `LOCK ACTIVE — stale, ${held}. Only the primary takes it over: run membridge push there, ${force}`
}

const DOCTOR = 'Nothing was changed: run membridge doctor'

/** `reason` is what the protocol was told, `fault` what the job met. */
const FAILURES: Record<Exclude<PushFailure, 'remote_ahead'>, (reason: string, fault: unknown) => string> = {
  role_unknown: (reason) =>
    `the role of this node is unknown (${named(reason)}). ${DOCTOR}; where the lease is damaged, select a primary with force and a reason`,
  pointer_unreadable: (reason) => `manifest.json: ${reason}. ${DOCTOR}`,
  snapshot_failed: (_, fault) => reasonOf(fault),
  lock_unknown: (reason) => `the Push Lock is unknown (${reason}). ${DOCTOR}, then membridge push`,
  lock_lost: () =>
    'the Push Lock was taken over by another node: run membridge leadership, then membridge push',
  upload_failed: (_, fault) =>
    `the upload failed: ${reasonOf(fault)}. The remote copy is as it was: run membridge push`,
  pointer_contended: () =>
    'others pushed at the same time, four times over: run membridge pull, then membridge push',
}

const named = (reason: string): string =>
  reason.startsWith('manifest.json') ? reason : `lease.json: ${reason}`

async function failure(
  node: SyncContext,
  { message, reason }: Ended<'failed'>,
  fault: unknown,
): Promise<EdgeFault> {
  if (message === 'remote_ahead') return await remoteAhead(node)
  // A fault of the database names its own next step.
  if (message === 'snapshot_failed' && fault instanceof EdgeFault) return fault
  return new EdgeFault(FAILURES[message](reason ?? 'no answer', fault), { cause: fault })
}

async function remoteAhead(node: SyncContext): Promise<EdgeFault> {
  const pointer = await readPointer(node)
  const count = pointer.state === 'present' ? pointer.pointer.observations : null
  return said(
    `REMOTE AHEAD: the remote copy holds ${count ?? 'more'} observations, more than this database. Run membridge pull; to replace it all the same: FORCE_PUSH=1 membridge push`,
  )
}
