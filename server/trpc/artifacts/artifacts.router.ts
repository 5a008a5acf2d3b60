import { router } from '../trpc.ts'

export const artifactsRouter = router({})
