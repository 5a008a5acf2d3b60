import { router } from '../trpc.ts'

export const inboxRouter = router({})
