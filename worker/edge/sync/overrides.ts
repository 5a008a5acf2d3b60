import { writeAuditObject } from '#server/leadership/audit-object.ts'
import type { Settings } from '../config/settings.ts'
import { reasonOf } from '../fault.ts'
import { requireGrants } from './grants.ts'
import type { NodeContext } from './node-context.ts'

/**
 * Overrides: settings by which a person goes past a rule of leadership. Each that is active for a command is printed and leaves an audit object
 * `override_used` [edge#overrides].
 */
export type Override =
  | 'FORCE_PUSH'
  | 'ALLOW_SECONDARY_PUSH'
  | 'ALLOW_PRIMARY_PULL_OVERRIDE'
  | 'LEADERSHIP_DISABLED'

/** Which command each of them changes. */
const OVERRIDES: Record<
  Override,
  { of: readonly ('push' | 'pull')[]; setting: string; isActive: (settings: Settings) => boolean }
> = {
  FORCE_PUSH: { of: ['push'], setting: 'FORCE_PUSH=1', isActive: ({ FORCE_PUSH }) => FORCE_PUSH },
  ALLOW_SECONDARY_PUSH: {
    of: ['push'],
    setting: 'ALLOW_SECONDARY_PUSH=1',
    isActive: ({ ALLOW_SECONDARY_PUSH }) => ALLOW_SECONDARY_PUSH,
  },
  ALLOW_PRIMARY_PULL_OVERRIDE: {
    of: ['pull'],
    setting: 'ALLOW_PRIMARY_PULL_OVERRIDE=1',
    isActive: ({ ALLOW_PRIMARY_PULL_OVERRIDE }) => ALLOW_PRIMARY_PULL_OVERRIDE,
  },
  LEADERSHIP_DISABLED: {
    of: ['push', 'pull'],
    setting: 'LEADERSHIP_ENABLED=0',
    isActive: ({ LEADERSHIP_ENABLED }) => !LEADERSHIP_ENABLED,
  },
}

export const activeOverrides = (settings: Settings, command: 'push' | 'pull'): Override[] =>
  (Object.keys(OVERRIDES) as Override[]).filter(
    (name) => OVERRIDES[name].of.includes(command) && OVERRIDES[name].isActive(settings),
  )

/**
 * Prints and records the overrides of this command. An audit object that cannot be written is a warning. With MEMBRIDGE_REQUIRE_GRANT each
 * needs a grant, which its audit object names; without one it throws `EdgeFault` and nothing was written.
 */
export async function recordOverrides(node: NodeContext, command: 'push' | 'pull'): Promise<void> {
  const { settings, store, canonicalId, nodeId, say } = node
  const active = activeOverrides(settings, command)
  const asked = active.map((name) => ({ name, setting: OVERRIDES[name].setting }))
  const isAsked = asked.length > 0 && settings.MEMBRIDGE_REQUIRE_GRANT
  const grants = isAsked ? await requireGrants(node, command, asked) : null
  for (const name of active) {
    say(`OVERRIDE: ${OVERRIDES[name].setting} is active`)
    try {
      const reason = grants ? `${name}, grant ${grants.get(name)}` : name
      const entry = { canonicalId, event: 'override_used' as const, lease: null, reason, actor: nodeId }
      await writeAuditObject(store, entry)
    } catch (error) {
      say(`WARNING: the audit object of ${name} could not be written: ${reasonOf(error)}`)
    }
  }
}
