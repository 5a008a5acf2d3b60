import { router } from '../trpc.ts'

export const runsRouter = router({})
