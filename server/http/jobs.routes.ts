import type { AnyRoute } from './route.ts'

export const jobsRoutes: AnyRoute[] = []
