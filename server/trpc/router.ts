import { accountsRouter } from './accounts/accounts.router.ts'
import { agentsRouter } from './agents/agents.router.ts'
import { artifactsRouter } from './artifacts/artifacts.router.ts'
import { auditRouter } from './audit/audit.router.ts'
import { inboxRouter } from './inbox/inbox.router.ts'
import { jobsRouter } from './jobs/jobs.router.ts'
import { notesRouter } from './notes/notes.router.ts'
import { proposalsRouter } from './proposals/proposals.router.ts'
import { runsRouter } from './runs/runs.router.ts'
import { sessionsRouter } from './sessions/sessions.router.ts'
import { systemRouter } from './system/system.router.ts'
import { router } from './trpc.ts'
import { zonesRouter } from './zones/zones.router.ts'

/** Every procedure of the console, by room. */
export const appRouter = router({
  inbox: inboxRouter,
  proposals: proposalsRouter,
  runs: runsRouter,
  jobs: jobsRouter,
  artifacts: artifactsRouter,
  agents: agentsRouter,
  notes: notesRouter,
  zones: zonesRouter,
  audit: auditRouter,
  system: systemRouter,
  accounts: accountsRouter,
  sessions: sessionsRouter,
})

export type AppRouter = typeof appRouter
