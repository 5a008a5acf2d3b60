import type { AnyRoute } from './route.ts'

export const accessRoutes: AnyRoute[] = []
