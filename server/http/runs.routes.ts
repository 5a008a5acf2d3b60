import type { AnyRoute } from './route.ts'

export const runsRoutes: AnyRoute[] = []
