import { accessRoutes } from './access.routes.ts'
import { agentsRoutes } from './agents.routes.ts'
import { artifactsRoutes } from './artifacts.routes.ts'
import { auditRoutes } from './audit.routes.ts'
import { inboxRoutes } from './inbox.routes.ts'
import { jobsRoutes } from './jobs.routes.ts'
import { notesRoutes } from './notes.routes.ts'
import { proposalsRoutes } from './proposals.routes.ts'
import type { AnyRoute } from './route.ts'
import { runsRoutes } from './runs.routes.ts'
import { streamRoutes } from './stream.routes.ts'
import { systemRoutes } from './system.routes.ts'
import { zonesRoutes } from './zones.routes.ts'

/** Every REST route of the gateway. */
export const restRoutes: readonly AnyRoute[] = [
  ...accessRoutes,
  ...zonesRoutes,
  ...inboxRoutes,
  ...proposalsRoutes,
  ...agentsRoutes,
  ...runsRoutes,
  ...jobsRoutes,
  ...artifactsRoutes,
  ...notesRoutes,
  ...auditRoutes,
  ...streamRoutes,
  ...systemRoutes,
]
