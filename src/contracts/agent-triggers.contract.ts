import { z } from 'zod'

/** Events that may start a run of an agent that names them under `triggers.events`. */
export const TRIGGER_EVENTS = ['note/created', 'comment/approved', 'artifact/created'] as const
export type TriggerEvent = (typeof TRIGGER_EVENTS)[number]

/** What starts runs of an agent, as its definition says it; the zone is an IANA name, UTC where none is given. */
export const agentTriggers = z.object({
  /** Whether people and programs may run it; true unless the definition says false. Schedules and events do not ask this. */
  manual: z.boolean(),
  cron: z.string().nullable(),
  zone: z.string(),
  events: z.array(z.enum(TRIGGER_EVENTS)),
})
export type AgentTriggers = z.infer<typeof agentTriggers>
