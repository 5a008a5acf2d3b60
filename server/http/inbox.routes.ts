import type { AnyRoute } from './route.ts'

export const inboxRoutes: AnyRoute[] = []
