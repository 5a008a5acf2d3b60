import { router } from '../trpc.ts'

export const zonesRouter = router({})
