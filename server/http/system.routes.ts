import type { AnyRoute } from './route.ts'

export const systemRoutes: AnyRoute[] = []
