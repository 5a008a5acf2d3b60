import type { AnyRoute } from './route.ts'

export const agentsRoutes: AnyRoute[] = []
