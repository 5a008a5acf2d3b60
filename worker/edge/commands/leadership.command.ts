import type { LeaseLook } from '#domain/leadership/lease-object.ts'
import { type RoleStanding, resolveRole } from '#domain/leadership/lease-protocol.ts'
import type { LockLook } from '#domain/leadership/lock-object.ts'
import { standingOfLock } from '#domain/leadership/push-lock.rules.ts'
import { runProtocol } from '#server/leadership/run-protocol.ts'
import { line } from '../doctor/section.ts'
import { EdgeFault } from '../fault.ts'
import { identityOf, knownTerms, lockSettingsOf, partsOf } from '../sync/leadership-parts.ts'
import { type NodeContext, openNode } from '../sync/node-context.ts'
import { readLease, readLock } from '../sync/read-objects.ts'
import { refuseUnfitStore } from '../sync/store-fitness.ts'
import type { Command, CommandResult } from './command.ts'

/**
 * Role, lease, time left and lock of this node [edge#leadership]. Writes the lease where there is none, and renews its own when less than half remains; with
 * LEADERSHIP_ENABLED=0 it only reads.
 */
export const leadershipCommand: Command = {
  name: 'leadership',
  aliases: ['leadership_info'],
  summary: 'role, lease, time left and Push Lock; writes the first lease, renews its own',
  run: async (input) => await leadershipOf(await openNode(input)),
}

export async function leadershipOf(node: NodeContext): Promise<CommandResult> {
  const role = node.settings.LEADERSHIP_ENABLED ? await roleOf(node) : null
  const [lease, lock] = [await readLease(node), await readLock(node)]
  const contradiction = contradictionOf(node, lease)
  if (contradiction !== null) node.say(`WARNING: ${contradiction}`)
  const facts = { ...roleFacts(node, role), ...leaseFacts(lease), contradiction, lock: lockFacts(node, lock) }
  return { exitCode: 0, lines: linesOf(facts), json: facts }
}

async function roleOf(node: NodeContext): Promise<Exclude<RoleStanding, { role: 'unknown' }>> {
  await refuseUnfitStore(node.store)
  const standing = await runProtocol(resolveRole(identityOf(node), await knownTerms(node)), partsOf(node))
  if (standing !== null && standing.role !== 'unknown') return standing
  const reason = standing?.reason ?? 'asked to stop'
  throw new EdgeFault(
    `the role of this node is unknown (${reason}), which is not primary. Run membridge doctor; where the lease is damaged, select a primary with force and a reason`,
  )
}

const roleFacts = ({ nodeId, canonicalId, settings }: NodeContext, standing: { role: string } | null) => ({
  role: standing?.role ?? 'unchecked',
  node_id: nodeId,
  canonical_id: canonicalId,
  leadership_enabled: settings.LEADERSHIP_ENABLED,
})

function leaseFacts(look: LeaseLook) {
  if (look.state === 'absent' || look.state === 'unreadable')
    return { lease_state: look.state, primary_node_id: null, seconds_left: null, epoch: null, term: null }
  const { lease, remaining } = look
  return {
    lease_state: look.state,
    primary_node_id: lease.primary_node_id,
    seconds_left: Math.max(0, Math.round(remaining)),
    lease_seconds: lease.lease_seconds,
    epoch: lease.epoch,
    term: lease.term,
    needs_ui_selection: lease.needs_ui_selection,
  }
}

/** The variable and the lease name different nodes; the lease counts. */
function contradictionOf({ settings }: NodeContext, look: LeaseLook): string | null {
  const { PRIMARY_NODE_ID: configured } = settings
  if (configured === undefined || look.state === 'absent' || look.state === 'unreadable') return null
  const { primary_node_id: holder } = look.lease
  if (configured === holder) return null
  return `PRIMARY_NODE_ID names ${configured}, but the lease is of ${holder}, which counts: remove PRIMARY_NODE_ID from this node, or select ${configured} in the console`
}

function lockFacts({ settings }: NodeContext, look: LockLook) {
  if (look.state === 'unreadable') return { state: 'unreadable', node_id: null, age_seconds: null }
  const standing = standingOfLock(look, lockSettingsOf(settings))
  if (standing.state === 'free') return { state: 'free', node_id: null, age_seconds: null }
  const { state, holder, ageSeconds } = standing
  return { state, node_id: holder, age_seconds: Math.round(ageSeconds) }
}

type Facts = ReturnType<typeof roleFacts> &
  ReturnType<typeof leaseFacts> & { lock: ReturnType<typeof lockFacts> }

function linesOf(facts: Facts): string[] {
  const { lock } = facts
  const held = lock.node_id === null ? '' : ` — held by ${lock.node_id} for ${lock.age_seconds}s`
  const left = facts.seconds_left === null ? '' : `, ${facts.seconds_left}s left`
  return [
    line('role', facts.leadership_enabled ? facts.role : 'unchecked (LEADERSHIP_ENABLED=0)'),
    line('node_id', facts.node_id),
    line('primary', facts.primary_node_id ?? 'none'),
    line('lease', `${facts.lease_state}${left}`),
    line('epoch', facts.epoch ?? 'none'),
    line('term', facts.term ?? 'none'),
    ...(facts.needs_ui_selection
      ? [line('selection', 'needs_ui_selection: confirm the primary in the console')]
      : []),
    line('lock', `${lock.state.toUpperCase()}${held}`),
  ]
}
