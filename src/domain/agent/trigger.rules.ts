/** How many agents' work may lead, one to the next without a person, to a run. */
export const MAX_TRIGGER_CHAIN = 5

/**
 * Why an event may not start this agent ([schedules#I-S4]): its own work led there, or too many agents' did. `chain` names the agents whose
 * work led to the event, the first one first; it is empty where a person's did.
 */
export function triggerFault(slug: string, chain: readonly string[]): 'own_work' | 'chain_too_long' | null {
  if (chain.includes(slug)) return 'own_work'
  return chain.length >= MAX_TRIGGER_CHAIN ? 'chain_too_long' : null
}
