import { router } from '../trpc.ts'

export const agentsRouter = router({})
