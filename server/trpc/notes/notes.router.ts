import { router } from '../trpc.ts'

export const notesRouter = router({})
