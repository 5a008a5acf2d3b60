import type { AnyRoute } from './route.ts'

export const auditRoutes: AnyRoute[] = []
