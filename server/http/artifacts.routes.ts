import type { AnyRoute } from './route.ts'

export const artifactsRoutes: AnyRoute[] = []
