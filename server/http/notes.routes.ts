import type { AnyRoute } from './route.ts'

export const notesRoutes: AnyRoute[] = []
