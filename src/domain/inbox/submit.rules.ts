import type { Caller } from '../authority/caller.ts'
import type { Refusal } from '../kernel/errors.ts'

/**
 * Checks 3 and 4 of Gate 1 (contract page 01, sections 1.1 and 2): the owner submits everything; an agent what its
 * `safe_outputs` name, and never work for itself. `null` means it may.
 */
export function submitFault(
  caller: Caller,
  intent: { action: string; target: string },
  safeOutputs: readonly string[],
): Refusal | null {
  if (caller.role === 'owner') return null
  if (caller.role !== 'agent') return { code: 'FORBIDDEN', message: 'Not enough rights to submit.' }
  if (!safeOutputs.includes(intent.action))
    return {
      code: 'SAFE_OUTPUT_VIOLATION',
      message: `${intent.action} is not among the agent's safe outputs.`,
      details: { action: intent.action },
    }
  const own = caller.identity.slice('agent:'.length)
  const starts = intent.action === 'propose-artifact' && intent.target.split('/')[1] === own
  return starts ? { code: 'SAFE_OUTPUT_VIOLATION', message: 'An agent starts no work for itself.' } : null
}
