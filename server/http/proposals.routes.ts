import type { AnyRoute } from './route.ts'

export const proposalsRoutes: AnyRoute[] = []
