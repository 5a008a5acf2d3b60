import { router } from '../trpc.ts'

export const sessionsRouter = router({})
