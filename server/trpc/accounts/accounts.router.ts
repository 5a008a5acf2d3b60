import { router } from '../trpc.ts'

export const accountsRouter = router({})
