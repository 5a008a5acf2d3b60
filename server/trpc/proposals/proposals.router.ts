import { router } from '../trpc.ts'

export const proposalsRouter = router({})
