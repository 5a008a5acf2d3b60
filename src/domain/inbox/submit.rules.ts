import type { Caller } from '../authority/caller.ts'
import type { Refusal } from '../kernel/errors.ts'

/**
 * Admission checks 3 and 4 ([inbox#admission-checks]): the owner submits everything; an agent what its
 * `safe_outputs` name, and never work for itself; the scheduler starts the agent it is the scheduler of; a guest suggests
 * a comment on a note. `null` means it may.
 */
export function submitFault(
  caller: Caller,
  intent: { action: string; target: string },
  safeOutputs: readonly string[],
): Refusal | null {
  if (caller.role === 'owner') return null
  if (caller.role === 'service' && startsOwnAgent(caller, intent)) return null
  if (caller.role === 'guest' && isSuggestion(intent)) return null
  if (caller.role !== 'agent') return { code: 'FORBIDDEN', message: 'Your role may not submit entries.' }
  if (!safeOutputs.includes(intent.action))
    return {
      code: 'SAFE_OUTPUT_VIOLATION',
      message: `${intent.action} is not among the agent's safe outputs.`,
      details: { action: intent.action },
    }
  const own = caller.identity.slice('agent:'.length)
  const starts = intent.action === 'propose-artifact' && intent.target.split('/')[1] === own
  return starts ? { code: 'SAFE_OUTPUT_VIOLATION', message: 'An agent may not start work for itself.' } : null
}

/** A comment on a note; whether the zone takes any is asked before ([zones#suggestions]). */
const isSuggestion = ({ action, target }: { action: string; target: string }): boolean =>
  action === 'propose-comment' && target.startsWith('notes/')

const startsOwnAgent = (
  { identity }: Caller,
  { action, target }: { action: string; target: string },
): boolean =>
  action === 'propose-artifact' &&
  identity.startsWith('cron:') &&
  target === `agents/${identity.slice('cron:'.length)}`
