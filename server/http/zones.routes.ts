import type { AnyRoute } from './route.ts'

export const zonesRoutes: AnyRoute[] = []
