import { z } from 'zod'

const reachable = z.enum(['ok', 'failing'])

/** `GET /health` of the Membridge Control Plane: 200 while PostgreSQL answers, 503 otherwise, when nothing can be counted. */
export const controlPlaneHealth = z.object({
  status: z.enum(['ok', 'unavailable']),
  service: z.literal('membridge-control-plane'),
  version: z.string(),
  projects: z.number().nullable(),
  agents: z.number().nullable(),
  store: reachable,
  database: reachable,
})
export type ControlPlaneHealth = z.infer<typeof controlPlaneHealth>
